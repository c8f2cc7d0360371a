#pragma once

#include <memory>

#include "kvgen/compile/target.h"

namespace kvgen {

// The target "cpu": shared objects as kvgen/cpu/abi.h describes them, for x86-64-v3 when
// this machine has it, else x86-64-v2.
std::unique_ptr<CompileTarget> cpu_target();

}  // namespace kvgen
