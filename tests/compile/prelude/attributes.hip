// expect: ok
__global__ __attribute__((amdgpu_flat_work_group_size(64, 256))) void flat(float* a) { a[0] = 1; }
__global__ void __attribute__((amdgpu_waves_per_eu(2))) waves(float* a) { a[0] = 1; }
struct alignas(16) Block { float x[4]; };
__global__ void aligned(Block* a, float* b) {
  __shared__ alignas(16) float s[64];
  __align__(16) float r[4] = {};
  s[threadIdx.x] = b[0] + r[0];
  __syncthreads();
  a[0].x[1] = s[threadIdx.x ^ 1];
#pragma unroll 4
  for (int i = 0; i < 16; ++i) b[i] += 1;
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; ++i) b[i] += 1;
}
