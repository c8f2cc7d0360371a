#pragma once
// What <__clang_hip_math.h> gives on AMD GPUs, with C's library behind it.

extern "C" {
#define __KVGEN_MATH1(name)       \
  __device__ double name(double); \
  __device__ float name##f(float);
#define __KVGEN_MATH2(name)               \
  __device__ double name(double, double); \
  __device__ float name##f(float, float);
KVGEN_CPU_IMPORTED_MATH1(__KVGEN_MATH1)
KVGEN_CPU_IMPORTED_MATH2(__KVGEN_MATH2)
#undef __KVGEN_MATH1
#undef __KVGEN_MATH2

#define __KVGEN_BOTH(F, f)              \
  __device__ F fma##f(F, F, F);         \
  __device__ F ldexp##f(F, int);        \
  __device__ F scalbn##f(F, int);       \
  __device__ F scalbln##f(F, long);     \
  __device__ F frexp##f(F, int*);       \
  __device__ F modf##f(F, F*);          \
  __device__ F remquo##f(F, F, int*);   \
  __device__ F jn##f(int, F);           \
  __device__ F yn##f(int, F);           \
  __device__ int ilogb##f(F);           \
  __device__ void sincos##f(F, F*, F*); \
  __device__ long lrint##f(F);          \
  __device__ long lround##f(F);         \
  __device__ long long llrint##f(F);    \
  __device__ long long llround##f(F);
__KVGEN_BOTH(double, )
__KVGEN_BOTH(float, f)
#undef __KVGEN_BOTH
}

__KVGEN_FN int abs(int x) { return x < 0 ? -x : x; }
__KVGEN_FN long labs(long x) { return x < 0 ? -x : x; }
__KVGEN_FN long long llabs(long long x) { return x < 0 ? -x : x; }

// erfinv by Giles' approximation refined by two Newton steps; in double for both types.
__KVGEN_FN double __kvgen_erfinv(double x) {
  if (!(x > -1.0 && x < 1.0)) {
    return x == 1.0 ? __builtin_inf() : x == -1.0 ? -__builtin_inf() : __builtin_nan("");
  }
  double w = -log((1.0 - x) * (1.0 + x));
  double y;
  if (w < 5.0) {
    w -= 2.5;
    const double c[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                        -4.39150654e-06, 0.00021858087,  -0.00125372503,
                        -0.00417768164,  0.246640727,    1.50140941};
    y = c[0];
    for (int i = 1; i < 9; ++i) y = c[i] + y * w;
  } else {
    w = sqrt(w) - 3.0;
    const double c[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                        -0.00367342844,  0.00573950773,  -0.0076224613,
                        0.00943887047,   1.00167406,     2.83297682};
    y = c[0];
    for (int i = 1; i < 9; ++i) y = c[i] + y * w;
  }
  y *= x;
  for (int i = 0; i < 2; ++i) {
    const double slope = M_2_SQRTPI * exp(-y * y);
    const double error = x < 0 ? (1.0 + x) - erfc(-y) : erfc(y) - (1.0 - x);
    if (slope > 0) y += (x < 0 ? -error : error) / slope;
  }
  return y;
}

#define __KVGEN_DERIVED(F, f)                                                                   \
  __KVGEN_FN F rsqrt##f(F x) { return (F)1 / sqrt##f(x); }                                      \
  __KVGEN_FN F rcbrt##f(F x) { return (F)1 / cbrt##f(x); }                                      \
  __KVGEN_FN F sinpi##f(F x) { return (F)sin(M_PI * remainder((double)x, 2.0)); }               \
  __KVGEN_FN F cospi##f(F x) { return (F)cos(M_PI * remainder((double)x, 2.0)); }               \
  __KVGEN_FN void sincospi##f(F x, F* s, F* c) { *s = sinpi##f(x), *c = cospi##f(x); }          \
  __KVGEN_FN F erfinv##f(F x) { return (F)__kvgen_erfinv(x); }                                  \
  __KVGEN_FN F erfcinv##f(F x) { return (F)__kvgen_erfinv(1.0 - (double)x); }                   \
  __KVGEN_FN F erfcx##f(F x) { return (F)(exp((double)x * (double)x) * erfc(x)); }              \
  __KVGEN_FN F normcdf##f(F x) { return (F)(0.5 * erfc(-(double)x * M_SQRT1_2)); }              \
  __KVGEN_FN F normcdfinv##f(F x) { return (F)(M_SQRT2 * __kvgen_erfinv(2.0 * x - 1.0)); }      \
  __KVGEN_FN F norm3d##f(F a, F b, F c) { return sqrt##f(a * a + b * b + c * c); }              \
  __KVGEN_FN F norm4d##f(F a, F b, F c, F d) { return sqrt##f(a * a + b * b + c * c + d * d); } \
  __KVGEN_FN F rnorm3d##f(F a, F b, F c) { return (F)1 / norm3d##f(a, b, c); }                  \
  __KVGEN_FN F rnorm4d##f(F a, F b, F c, F d) { return (F)1 / norm4d##f(a, b, c, d); }          \
  __KVGEN_FN F rhypot##f(F a, F b) { return (F)1 / hypot##f(a, b); }                            \
  __KVGEN_FN F powi##f(F x, int n) { return pow##f(x, (F)n); }                                  \
  __KVGEN_FN F nan##f(const char*) { return (F)__builtin_nan(""); }
__KVGEN_DERIVED(double, )
__KVGEN_DERIVED(float, f)
#undef __KVGEN_DERIVED

__KVGEN_FN float fdividef(float a, float b) { return a / b; }
__KVGEN_FN float __fdividef(float a, float b) { return a / b; }
__KVGEN_FN float __cosf(float x) { return cosf(x); }
__KVGEN_FN float __sinf(float x) { return sinf(x); }
__KVGEN_FN float __tanf(float x) { return tanf(x); }
__KVGEN_FN void __sincosf(float x, float* s, float* c) { sincosf(x, s, c); }
__KVGEN_FN float __expf(float x) { return expf(x); }
__KVGEN_FN float __exp10f(float x) { return exp10f(x); }
__KVGEN_FN float __logf(float x) { return logf(x); }
__KVGEN_FN float __log2f(float x) { return log2f(x); }
__KVGEN_FN float __log10f(float x) { return log10f(x); }
__KVGEN_FN float __powf(float x, float y) { return powf(x, y); }
__KVGEN_FN float __saturatef(float x) { return x < 0 ? 0.0f : x > 1 ? 1.0f : x; }

__KVGEN_FN float __fadd_rn(float a, float b) { return a + b; }
__KVGEN_FN float __fsub_rn(float a, float b) { return a - b; }
__KVGEN_FN float __fmul_rn(float a, float b) { return a * b; }
__KVGEN_FN float __fdiv_rn(float a, float b) { return a / b; }
__KVGEN_FN float __frcp_rn(float x) { return 1.0f / x; }
__KVGEN_FN float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
__KVGEN_FN float __frsqrt_rn(float x) { return 1.0f / __builtin_sqrtf(x); }
__KVGEN_FN float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__KVGEN_FN double __dadd_rn(double a, double b) { return a + b; }
__KVGEN_FN double __dsub_rn(double a, double b) { return a - b; }
__KVGEN_FN double __dmul_rn(double a, double b) { return a * b; }
__KVGEN_FN double __ddiv_rn(double a, double b) { return a / b; }
__KVGEN_FN double __drcp_rn(double x) { return 1.0 / x; }
__KVGEN_FN double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
__KVGEN_FN double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

__KVGEN_FN bool __isinff(float x) { return __builtin_isinf(x); }
__KVGEN_FN bool __isinf(double x) { return __builtin_isinf(x); }
__KVGEN_FN bool __isnanf(float x) { return __builtin_isnan(x); }
__KVGEN_FN bool __isnan(double x) { return __builtin_isnan(x); }
__KVGEN_FN bool __finitef(float x) { return __builtin_isfinite(x); }
__KVGEN_FN bool __finite(double x) { return __builtin_isfinite(x); }
__KVGEN_FN bool __signbitf(float x) { return __builtin_signbit(x); }
__KVGEN_FN bool __signbit(double x) { return __builtin_signbit(x); }

template <class T>
__KVGEN_FN T min(T a, T b) {
  return a < b ? a : b;
}
template <class T>
__KVGEN_FN T max(T a, T b) {
  return a > b ? a : b;
}
__KVGEN_FN int min(int a, int b) { return a < b ? a : b; }
__KVGEN_FN int max(int a, int b) { return a > b ? a : b; }
__KVGEN_FN float min(float a, float b) { return __builtin_fminf(a, b); }
__KVGEN_FN float max(float a, float b) { return __builtin_fmaxf(a, b); }
__KVGEN_FN double min(double a, double b) { return __builtin_fmin(a, b); }
__KVGEN_FN double max(double a, double b) { return __builtin_fmax(a, b); }
