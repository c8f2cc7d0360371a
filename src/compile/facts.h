#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/build.h"

namespace kvgen {

// Fills `facts` (occupancy at the largest work-group that the kernel allows) and `static_lds` of
// each kernel from the AMDGPU metadata note of a code object
// (LLVM's AMDGPU usage guide, "Code Object V5 Metadata").
Result<void> read_amd_facts(const std::string& arch, std::string_view object,
                            std::vector<KernelInfo>& kernels);

}  // namespace kvgen
