/* {"kernels": ["softmax_rows<256>"],
    "inputs": {"x": [33, 777]}, "outputs": {"out": [33, 777]},
    "run": [{"kernel": "softmax_rows<256>", "grid": [33], "block": [256], "args": ["x", "out", {"i32": 777}]}],
    "expect": {"status": "finished", "values": "softmax"}} */
#include <hip/hip_runtime.h>

__device__ float wave_max(float v) {
  for (int d = 32; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor(v, d));
  return v;
}
__device__ float wave_sum(float v) {
  for (int d = 32; d > 0; d >>= 1) v += __shfl_xor(v, d);
  return v;
}

template <int kThreads>
__global__ void softmax_rows(const float* x, float* out, int cols) {
  __shared__ float part[kThreads / 64];
  const float* row = x + (size_t)blockIdx.x * cols;
  int wave = threadIdx.x / 64, lane = threadIdx.x % 64;
  float m = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += kThreads) m = fmaxf(m, row[i]);
  m = wave_max(m);
  if (lane == 0) part[wave] = m;
  __syncthreads();
  m = part[0];
  for (int w = 1; w < kThreads / 64; ++w) m = fmaxf(m, part[w]);
  __syncthreads();
  float s = 0;
  for (int i = threadIdx.x; i < cols; i += kThreads) s += __expf(row[i] - m);
  s = wave_sum(s);
  if (lane == 0) part[wave] = s;
  __syncthreads();
  s = 0;
  for (int w = 0; w < kThreads / 64; ++w) s += part[w];
  for (int i = threadIdx.x; i < cols; i += kThreads) out[(size_t)blockIdx.x * cols + i] = __expf(row[i] - m) / s;
}
