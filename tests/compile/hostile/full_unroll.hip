// clang: usable or too much
// hiprtc: usable or too much
__global__ void k(float* x) {
#pragma unroll
  for (int i = 0; i < 200000; ++i) x[i] = x[i] * x[i + 1] + sqrtf(x[i + 2]);
}
