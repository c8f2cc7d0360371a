#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kvgen/compile/compile_engine.h"

namespace kvgen {

// AMD's hiprtc, opened at run time: nothing of it is needed to build or to start.
//
// The text it compiles is one that Clang has accepted; it gives a second opinion and the facts of
// the code that hiprtc makes. It sees the same prelude and virtual headers as Clang does: ours
// stand in for the header that hiprtc includes by itself. A kernel's expression, symbol and facts
// are filled; signatures are Clang's.
//
// No LLVM of ours is in its address space: libamd_comgr holds another one.
class HiprtcEngine : public CompileEngine {
 public:
  // kMissing without a hiprtc, saying what was looked for. Folders come before the loader's path.
  static Result<std::unique_ptr<HiprtcEngine>> open(
      const std::vector<std::filesystem::path>& folders);
  ~HiprtcEngine() override;

  [[nodiscard]] std::string compiler() const override { return "hiprtc"; }
  [[nodiscard]] std::string compiler_version() const override;
  // What the table has for this version; keep_only() may have narrowed it.
  [[nodiscard]] std::vector<std::string> target_names() const override;
  void keep_only(std::vector<std::string> targets);

  // Writes below TMPDIR, and leaves it there when it dies.
  Result<CompiledObject> compile(const CompileCall& call) override;

 private:
  struct State;
  explicit HiprtcEngine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kvgen
