// kernels: vector_add
// expect: usable
#include <hip/hip_runtime.h>

__global__ void vector_add(const float* __restrict__ a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
