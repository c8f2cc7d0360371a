#pragma once

#include <string_view>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/build.h"

namespace kvgen {

// Fills `facts` and `static_lds` of each kernel from the AMDGPU metadata note of a code object
// (LLVM's AMDGPU usage guide, "Code Object V5 Metadata").
Result<void> read_amd_facts(std::string_view object, std::vector<KernelInfo>& kernels);

}  // namespace kvgen
