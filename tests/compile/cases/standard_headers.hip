// kernels: k
// expect: usable
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <hip/hip_bf16.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
namespace cg = cooperative_groups;
__global__ void k(const __half* h, __hip_bfloat16* b, float* out, uint32_t n) {
  float best = -INFINITY;
  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) best = fmaxf(best, __half2float(h[i]));
  for (int d = 32; d > 0; d >>= 1) best = fmaxf(best, __shfl_xor(best, d));
  cg::this_thread_block().sync();
  b[threadIdx.x] = __float2bfloat16(std::min(best, FLT_MAX));
  out[threadIdx.x] = std::numeric_limits<float>::max();
}
