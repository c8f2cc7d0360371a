#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kvgen/stage/compiler.h"

namespace kvgen {

// hiprtc as it is on this machine.
struct HiprtcGate {
  Compiler& compiler;
  std::string version;               // "5.2.21153"
  std::vector<std::string> targets;  // that it makes code for
};

// Which compilers judge a candidate, for each target asked for:
//
//   Clang 22       always. It alone tells signatures and what a text does to cheat, so a text
//                  that it rejects is rejected, and hiprtc never sees it.
//   hiprtc         for the architectures its version knows, on the text that Clang accepted
//                  (host code dropped). Its build is recorded beside Clang's, with the facts of
//                  the code it makes, and with Clang's signatures.
//
// A hiprtc of ROCm 6 or later is the compiler users have: what it rejects is rejected. An older
// one may lack what Clang 22 knows, and any may be missing or broken: then its build says
// `gate_unavailable` and why, and Clang's word holds.
class GateCompiler : public Compiler {
 public:
  GateCompiler(Compiler& clang, std::optional<HiprtcGate> hiprtc);

  Awaitable<Result<Compiled>> build(CompileRequest request) override;

 private:
  Awaitable<Build> ask_hiprtc(CompileRequest request, const Build& clang);

  Compiler& clang_;
  std::optional<HiprtcGate> hiprtc_;
};

}  // namespace kvgen
