#pragma once
// C++'s overloads of C's math: float stays float, integers go to double, std:: and global.

#define __KVGEN_FLOAT1(name)                                             \
  __KVGEN_FN float name(float x) { return ::name##f(x); }                \
  template <class T>                                                     \
  __KVGEN_FN std::enable_if_t<std::is_integral_v<T>, double> name(T x) { \
    return ::name((double)x);                                            \
  }
#define __KVGEN_FLOAT2(name)                                                                    \
  __KVGEN_FN float name(float x, float y) { return ::name##f(x, y); }                           \
  template <class A, class B>                                                                   \
  __KVGEN_FN std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, double> name( \
      A x, B y) {                                                                               \
    return ::name((double)x, (double)y);                                                        \
  }
// clang-format off: lists
#define __KVGEN_EACH_MATH1(X)                                                               \
  X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf)  \
  X(erfc) X(exp) X(exp2) X(exp10) X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10)       \
  X(log1p) X(log2) X(logb) X(nearbyint) X(rint) X(round) X(sin) X(sinh) X(sqrt) X(tan)      \
  X(tanh) X(tgamma) X(trunc) X(rsqrt) X(rcbrt) X(erfinv) X(sinpi) X(cospi) X(normcdf)
#define __KVGEN_EACH_MATH2(X)                                                               \
  X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow)         \
  X(remainder)
// clang-format on

__KVGEN_EACH_MATH1(__KVGEN_FLOAT1)
__KVGEN_EACH_MATH2(__KVGEN_FLOAT2)
#undef __KVGEN_FLOAT1
#undef __KVGEN_FLOAT2

__KVGEN_FN double abs(double x) { return ::fabs(x); }
__KVGEN_FN float abs(float x) { return ::fabsf(x); }
__KVGEN_FN long long abs(long long x) { return ::llabs(x); }
__KVGEN_FN long abs(long x) { return ::labs(x); }
__KVGEN_FN float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
__KVGEN_FN float ldexp(float x, int e) { return ::ldexpf(x, e); }
__KVGEN_FN float scalbn(float x, int e) { return ::scalbnf(x, e); }
__KVGEN_FN float frexp(float x, int* e) { return ::frexpf(x, e); }
__KVGEN_FN float modf(float x, float* whole) { return ::modff(x, whole); }
__KVGEN_FN void sincos(float x, float* s, float* c) { ::sincosf(x, s, c); }
__KVGEN_FN int ilogb(float x) { return ::ilogbf(x); }
__KVGEN_FN long lrint(float x) { return ::lrintf(x); }
__KVGEN_FN long lround(float x) { return ::lroundf(x); }
__KVGEN_FN long long llrint(float x) { return ::llrintf(x); }
__KVGEN_FN long long llround(float x) { return ::llroundf(x); }

#define __KVGEN_CLASSIFIES(name)                                \
  __KVGEN_FN bool name(float x) { return __builtin_##name(x); } \
  __KVGEN_FN bool name(double x) { return __builtin_##name(x); }
__KVGEN_CLASSIFIES(isnan)
__KVGEN_CLASSIFIES(isinf)
__KVGEN_CLASSIFIES(isfinite)
__KVGEN_CLASSIFIES(isnormal)
__KVGEN_CLASSIFIES(signbit)
#undef __KVGEN_CLASSIFIES

namespace std {
#define __KVGEN_USING(name) \
  using ::name;             \
  using ::name##f;
__KVGEN_EACH_MATH2(__KVGEN_USING)
__KVGEN_EACH_MATH1(__KVGEN_USING)
#undef __KVGEN_USING
using ::abs;
using ::fma;
using ::fmaf;
using ::frexp;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::isnormal;
using ::labs;
using ::ldexp;
using ::llabs;
using ::llrint;
using ::llround;
using ::lrint;
using ::lround;
using ::modf;
using ::scalbn;
using ::signbit;
}  // namespace std
#undef __KVGEN_EACH_MATH1
#undef __KVGEN_EACH_MATH2
