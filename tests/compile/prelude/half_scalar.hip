// expect: ok
#include <hip/hip_fp16.h>
__global__ void arithmetic(__half* a, const half* b, float* f, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  a[i] = __float2half(__half2float(a[i]) * 2.f);
  a[i] = a[i] + b[i] * b[i] - a[i] / b[i];
  a[i] += b[i];
  a[i] *= b[i];
  a[i] = -a[i];
  a[i] = __hadd(a[i], __hmul(a[i], b[i]));
  a[i] = __hsub(__hdiv(a[i], b[i]), __hfma(a[i], b[i], a[i]));
  if (a[i] > b[i] || __hlt(a[i], b[i]) || __hisnan(a[i])) a[i] = __hmax(a[i], __habs(b[i]));
  const float x = (float)a[i];
  f[i] = a[i];
  f[i] += static_cast<float>(b[i]) + x;
  a[i] = (__half)x;
  a[i] = __half(x);
  a[i] = half(1.0f);
  a[i] = 0.5f;
  a[i] = __ushort_as_half(__half_as_ushort(a[i]));
  a[i] = __int2half_rn(n);
  n = __half2int_rn(a[i]);
  half zero = __float2half(0.0f), array[4] = {};
  a[i] = zero + array[i & 3];
}
__global__ void functions(__half* a) {
  a[0] = hexp(a[0]) + hsqrt(a[1]) + hlog(a[2]) + hrsqrt(a[3]) + hrcp(a[4]) + htanh(a[5]);
  a[1] = hsin(a[0]) + hcos(a[0]) + hfloor(a[0]) + hceil(a[0]) + hrint(a[0]) + hexp2(a[0]) + hlog2(a[0]);
}
