#pragma once

#include <string_view>
#include <vector>

namespace kvgen {

// Every name that an object for the cpu device may leave undefined (cpu/abi.h),
// sorted. `kvgen_cpu_dynamic_lds` is among them.
const std::vector<std::string_view>& importable_names();

bool importable(std::string_view name);

}  // namespace kvgen
