#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/fd.h"
#include "kvgen/base/result.h"
#include "kvgen/model/build.h"
#include "kvgen/stage/awaitable.h"

namespace kvgen {

struct CompileRequest {
  std::string source;                // device code, one translation unit
  std::string target;                // "gfx942", "gfx90a", "cpu"
  std::vector<std::string> kernels;  // the plan's name expressions
};

struct Compiled {
  Build build;
  SharedFd object;              // a sealed memfd; null when build.failure
  std::optional<Build> second;  // what another compiler says of the same text and target
};

// Turns device source into a loadable object and its facts.
//
// An outcome (`compile_error`, `not_judged_here`) is a value inside Build. An
// Error means that no compiler could be asked: it says which and why, and
// retryable() tells whether a fresh worker may help.
//
// Any number of builds may be awaited at once.
class Compiler {
 public:
  virtual ~Compiler() = default;
  virtual Awaitable<Result<Compiled>> build(CompileRequest request) = 0;
};

}  // namespace kvgen
