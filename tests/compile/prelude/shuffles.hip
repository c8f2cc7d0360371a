// expect: ok
#include <hip/hip_fp16.h>
__global__ void types(float* f, int* i, unsigned* u, double* d, long long* l, unsigned long long* q) {
  for (int o = warpSize / 2; o > 0; o >>= 1) f[0] += __shfl_down(f[0], o);
  f[1] = __shfl_xor(f[0], 1) + __shfl(f[0], 0) + __shfl_up(f[0], 1, 32);
  i[0] = __shfl_down(i[0], 1) + __shfl_xor(i[0], 32) + __shfl(i[0], 5, 16);
  u[0] = __shfl_down(u[0], 1u) + __shfl_xor(u[0], 2);
  d[0] = __shfl_down(d[0], 1) + __shfl_xor(d[0], 2, 64) + __shfl(d[0], 3);
  l[0] = __shfl_up(l[0], 1);
  q[0] = __shfl(q[0], 1);
}
__global__ void synced(float* f) {
  for (int o = 32; o > 0; o >>= 1) f[0] += __shfl_down_sync(0xffffffffffffffffull, f[0], o);
  f[1] = __shfl_xor_sync(~0ull, f[0], 1) + __shfl_sync(~0ull, f[0], 0, 32);
  f[2] = __shfl_up_sync(0xffffffffffffffffULL, f[0], 1);
}
__global__ void narrow(__half* h, __half2* h2, short* s, float4* v, bool* b) {
  h[0] = __shfl_down(h[0], 1);
  h2[0] = __shfl_xor(h2[0], 2);
  s[0] = __shfl_down(s[0], 1);
  v[0] = __shfl_xor(v[0], 1);
  b[0] = __shfl(b[0], 0);
}
template <typename T>
__device__ __forceinline__ T wave_sum(T v) {
#pragma unroll
  for (int o = 32; o > 0; o /= 2) v += __shfl_xor(v, o, 64);
  return v;
}
__global__ void reduced(float* f, double* d) {
  f[0] = wave_sum(f[threadIdx.x]);
  d[0] = wave_sum(d[threadIdx.x]);
}
