// clang: usable or too much
// hiprtc: usable or too much
__global__ void k(float* x, const float* a, const float* b) {
  float sum[64] = {};
#pragma unroll
  for (int i = 0; i < 64; ++i)
#pragma unroll
    for (int j = 0; j < 64; ++j)
#pragma unroll
      for (int l = 0; l < 16; ++l) sum[i] += a[i * 16 + l] * b[j * 16 + l];
  for (int i = 0; i < 64; ++i) x[i] = sum[i];
}
