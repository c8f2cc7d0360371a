#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/build.h"

namespace kvgen {

// Fills the instruction mix of each kernel's facts from a code object for an architecture. Bytes
// that decode to nothing are left out. kInternal when the object is no ELF file of that target.
Result<void> count_instructions(const std::string& arch, std::string_view object,
                                std::vector<KernelInfo>& kernels);

}  // namespace kvgen
