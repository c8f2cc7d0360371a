// expect: ok
#include <hip/hip_bf16.h>
#include <hip/hip_bfloat16.h>
__global__ void older(hip_bfloat16* a, const hip_bfloat16* b, float* f) {
  f[0] = a[0] * 2.0f + b[0];
  a[0] = hip_bfloat16(f[0]) + b[0] * b[1];
  a[1] += b[1];
  a[2] = -a[1];
  a[3] = hip_bfloat16::round_to_bfloat16(f[1]);
  a[4].data = b[4].data;
  if (a[0] > b[0]) f[2] = static_cast<float>(a[5]);
}
__global__ void scalar(__hip_bfloat16* a, const __hip_bfloat16* b, float* f, int n) {
  const int i = threadIdx.x;
  const float x = __bfloat162float(a[i]);
  a[i] = __float2bfloat16(x * 2.f);
  a[i] = a[i] + b[i] * b[i] - a[i] / b[i];
  a[i] += b[i];
  f[i] = (float)a[i] + static_cast<float>(b[i]);
  f[i] = a[i];
  a[i] = __hip_bfloat16(x);
  a[i] = (__hip_bfloat16)x;
  a[i] = __hip_bfloat16(n);
  if (a[i] > b[i] && __hlt(a[i], b[i])) a[i] = -a[i];
  a[i] = __hadd(a[i], __hmul(a[i], __hfma(a[i], b[i], a[i])));
  a[i] = __ushort_as_bfloat16(__bfloat16_as_ushort(a[i]));
}
__global__ void pair(__hip_bfloat162* a, const float2* b, float2* c) {
  a[0] = __float22bfloat162_rn(b[0]);
  c[0] = __bfloat1622float2(a[0]);
  a[1] = __hadd2(a[0], __hmul2(a[0], a[1]));
  a[2] = __halves2bfloat162(a[0].x, a[0].y);
  a[3] = __floats2bfloat162_rn(1.f, 2.f);
}
