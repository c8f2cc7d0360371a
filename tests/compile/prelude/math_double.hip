// expect: ok
#include <cmath>
__global__ void all(double* a, const double* b) {
  const double x = b[0], y = b[1];
  int e;
  double p, q;
  a[0] = acos(x) + acosh(x) + asin(x) + asinh(x) + atan(x) + atanh(x) + cbrt(x) + ceil(x) + cos(x);
  a[1] = cosh(x) + erf(x) + erfc(x) + exp(x) + exp2(x) + exp10(x) + expm1(x) + fabs(x) + floor(x);
  a[2] = lgamma(x) + log(x) + log10(x) + log1p(x) + log2(x) + logb(x) + nearbyint(x) + rint(x);
  a[3] = round(x) + sin(x) + sinh(x) + sqrt(x) + tan(x) + tanh(x) + tgamma(x) + trunc(x) + abs(x);
  a[4] = atan2(x, y) + copysign(x, y) + fdim(x, y) + fmax(x, y) + fmin(x, y) + fmod(x, y);
  a[5] = hypot(x, y) + nextafter(x, y) + pow(x, y) + remainder(x, y) + fma(x, y, x) + ldexp(x, 2);
  a[6] = rsqrt(x) + frexp(x, &e) + modf(x, &p) + scalbn(x, 1) + erfinv(x) + normcdf(x);
  sincos(x, &p, &q);
  a[7] = p + q + e + lround(x) + llrint(x) + __drcp_rn(x) + __fma_rn(x, y, x) + __dadd_rn(x, y);
}
