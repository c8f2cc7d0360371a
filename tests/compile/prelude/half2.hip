// expect: ok
#include <hip/hip_fp16.h>
__global__ void pairs(__half* a, __half2* b, const float2* f, float* g) {
  half2* p = reinterpret_cast<half2*>(a);
  p[0] = __hadd2(p[0], p[1]);
  p[1] = __hmul2(p[0], __hfma2(p[1], p[0], b[0]));
  p[2] = __floats2half2_rn(1.f, 2.f);
  p[3] = __float22half2_rn(f[0]);
  const float2 x = __half22float2(p[3]);
  g[0] = x.x + x.y + __low2float(p[0]) + __high2float(p[1]);
  a[8] = __low2half(p[0]) + __high2half(p[1]);
  b[1] = __halves2half2(a[0], a[1]) + __half2half2(a[2]) * b[0] - __float2half2_rn(3.f);
  b[2] = h2exp(b[0]) + h2sqrt(b[1]) + h2rcp(b[2]);
  b[3] = __hmax2(b[0], __hmin2(b[1], b[2]));
  b[4].x = b[3].y;
  b[5] = half2(a[0], a[1]);
  b[6] = make_half2(a[0], a[1]);
  b[6] += b[5];
  b[7] = __lowhigh2highlow(b[6]);
}
