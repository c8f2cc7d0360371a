// expect: ok
#include <math.h>
__global__ void all(float* a, const float* b) {
  const float x = b[0], y = b[1];
  int e;
  float p, q;
  a[0] = acosf(x) + acoshf(x) + asinf(x) + asinhf(x) + atanf(x) + atanhf(x) + cbrtf(x) + ceilf(x);
  a[1] = cosf(x) + coshf(x) + erff(x) + erfcf(x) + expf(x) + exp2f(x) + exp10f(x) + expm1f(x);
  a[2] = fabsf(x) + floorf(x) + lgammaf(x) + logf(x) + log10f(x) + log1pf(x) + log2f(x) + logbf(x);
  a[3] = nearbyintf(x) + rintf(x) + roundf(x) + sinf(x) + sinhf(x) + sqrtf(x) + tanf(x) + tanhf(x);
  a[4] = tgammaf(x) + truncf(x) + atan2f(x, y) + copysignf(x, y) + fdimf(x, y) + fmaxf(x, y);
  a[5] = fminf(x, y) + fmodf(x, y) + hypotf(x, y) + nextafterf(x, y) + powf(x, y) + remainderf(x, y);
  a[6] = fmaf(x, y, x) + ldexpf(x, 3) + scalbnf(x, 2) + frexpf(x, &e) + modff(x, &p);
  a[7] = rsqrtf(x) + rcbrtf(x) + erfinvf(x) + sinpif(x) + cospif(x) + normcdff(x) + norm3df(x, y, x);
  sincosf(x, &p, &q);
  a[8] = p + q + e + ilogbf(x) + lrintf(x) + lroundf(x) + llrintf(x) + fdividef(x, y);
  a[9] = j0f(x) + y1f(x) + erfcinvf(x) + erfcxf(x) + normcdfinvf(x) + powif(x, 3) + rhypotf(x, y);
}
