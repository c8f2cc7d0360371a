// expect: ok
#include <hip/hip_runtime.h>

__global__ void where(unsigned* a) {
  const dim3 thread = threadIdx, block(1, 2, 3);
  const uint3 group = blockIdx;
  a[0] = thread.x + threadIdx.y + threadIdx.z + group.x + blockIdx.y + blockIdx.z;
  a[1] = blockDim.x * gridDim.x + blockDim.y * gridDim.y + blockDim.z * gridDim.z;
  a[2] = hipThreadIdx_x + hipBlockDim_x * hipBlockIdx_x + hipGridDim_z + block.y + warpSize;
  const auto tx = threadIdx.x;
  const int ty = threadIdx.y;
  a[3] = tx + ty + __lane_id();
}
