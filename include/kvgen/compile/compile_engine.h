#pragma once

#include <string>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/build.h"
#include "kvgen/worker/protocol.h"

namespace kvgen {

struct CompiledObject {
  Build build;
  std::string object;  // empty when build.failure
};

// A compiler inside this process.
//
// A hostile text may kill the process or never return; CompileService bounds it. Not
// thread-safe.
class CompileEngine {
 public:
  virtual ~CompileEngine() = default;

  // "clang", "hiprtc"
  [[nodiscard]] virtual std::string compiler() const = 0;
  [[nodiscard]] virtual std::string compiler_version() const = 0;
  [[nodiscard]] virtual std::vector<std::string> target_names() const = 0;

  // kMissing for a target it does not know, naming those that it does.
  virtual Result<CompiledObject> compile(const CompileCall& call) = 0;
};

}  // namespace kvgen
