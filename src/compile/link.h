#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kvgen/base/result.h"

namespace kvgen {

struct Linked {
  std::string object;   // empty when it failed
  std::string message;  // what the linker said
};

// Links one object with lld in this process. lld resets every LLVM option and takes over
// stdout: to be called in a process that compiles nothing afterwards.
Result<Linked> link_object(std::string_view object, const std::vector<std::string>& arguments);

}  // namespace kvgen
