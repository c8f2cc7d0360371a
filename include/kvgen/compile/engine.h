#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kvgen/base/files.h"
#include "kvgen/base/result.h"
#include "kvgen/compile/compile_engine.h"
#include "kvgen/compile/target.h"

namespace kvgen {

// Clang, LLVM and lld in this process, over a file system in memory: nothing on the disk is
// visible to the text that is compiled.
//
// Not thread-safe: LLVM's options are global.
class ClangEngine : public CompileEngine {
 public:
  // One engine a process. Headers are precompiled at the first use of a target unless
  // `load_pch` found them.
  explicit ClangEngine(std::vector<std::unique_ptr<CompileTarget>> targets);
  ~ClangEngine() override;
  ClangEngine(const ClangEngine&) = delete;
  ClangEngine& operator=(const ClangEngine&) = delete;

  [[nodiscard]] std::string compiler() const override { return "clang"; }
  [[nodiscard]] std::string compiler_version() const override { return version(); }
  [[nodiscard]] std::vector<std::string> target_names() const override;

  // Reads the precompiled headers in a folder that fit this compiler and prelude; the
  // others are made in memory. All targets are ready afterwards.
  Result<void> prepare(Files& files, const std::filesystem::path& folder);
  // Writes one precompiled header for each target.
  Result<void> make_pch(Files& files, const std::filesystem::path& folder);

  Result<CompiledObject> compile(const CompileCall& call) override;

  // "22.1.8": of the libraries in this process.
  [[nodiscard]] static std::string version();

 private:
  struct Entry {
    std::unique_ptr<CompileTarget> target;
    std::string options_hash;
    std::string pch;
  };
  Result<Entry*> find(const std::string& target);
  Result<void> build_pch(Entry& entry);

  std::vector<Entry> entries_;
};

}  // namespace kvgen
