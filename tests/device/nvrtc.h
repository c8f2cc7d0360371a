#pragma once

#include <string>
#include <vector>

#include "kvgen/base/result.h"

namespace kvgen::testing {

struct CudaObject {
  std::string image;                 // PTX
  std::vector<std::string> symbols;  // of the name expressions asked for
};

// Compiles with NVRTC, opened at run time; kMissing where there is none.
Result<CudaObject> compile_with_nvrtc(const std::string& source,
                                      const std::vector<std::string>& kernels);

}  // namespace kvgen::testing
