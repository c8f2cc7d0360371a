// expect: ok
#include <hip/hip_runtime.h>
#include <algorithm>
#include <cmath>
__global__ void one(float* a) { a[threadIdx.x] = 1; }
void launch(float* a, int n, hipStream_t stream) {
  const int blocks = std::min((n + 255) / 256, 1024);
  one<<<dim3(blocks), dim3(256), 0, stream>>>(a);
  hipLaunchKernelGGL(one, dim3(1), dim3(64), 0, 0, a);
  hipError_t e = hipGetLastError();
  (void)e;
  float* p;
  hipMalloc(&p, (size_t)std::ceil(n * 4.0));
  hipDeviceSynchronize();
}
