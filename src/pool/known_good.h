#pragma once

namespace kvgen::pool {

inline constexpr const char* kKnownGoodKernel = "kvgen_canary";
inline constexpr const char* kKnownGoodSource =
    "__global__ void kvgen_canary(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = 2.0f * x[i] + 1.0f;\n"
    "}\n";
inline constexpr int kKnownGoodElements = 300;

}  // namespace kvgen::pool
