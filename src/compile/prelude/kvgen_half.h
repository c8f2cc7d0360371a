#pragma once
// __half: a _Float16 that is rounded after each operation, with HIP's conversions and
// intrinsics.

struct __half_raw {
  unsigned short x;
};

struct __half {
  _Float16 data;

  __half() = default;
  __KVGEN_VEC __half(_Float16 v) : data(v) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  __KVGEN_VEC __half(T v) : data((_Float16)v) {}
  __KVGEN_VEC __half(const __half_raw& raw) : data(__builtin_bit_cast(_Float16, raw.x)) {}

  // Implicitly to float only: with more than one arithmetic target, h < 2 would be ambiguous.
  __KVGEN_VEC operator float() const { return (float)data; }
  explicit __KVGEN_VEC operator _Float16() const { return data; }
  explicit __KVGEN_VEC operator double() const { return (double)data; }
  explicit __KVGEN_VEC operator bool() const { return data != (_Float16)0; }
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>, class = void>
  explicit __KVGEN_VEC operator T() const {
    return (T)(float)data;
  }
  __KVGEN_VEC operator __half_raw() const {
    return __half_raw{__builtin_bit_cast(unsigned short, data)};
  }

#define __KVGEN_HALF_OP(op)                                                 \
  friend __KVGEN_VEC __half operator op(const __half& a, const __half& b) { \
    return __half((_Float16)(a.data op b.data));                            \
  }                                                                         \
  __KVGEN_VEC __half& operator op## = (const __half& b) { return *this = *this op b; }
  __KVGEN_HALF_OP(+)
  __KVGEN_HALF_OP(-)
  __KVGEN_HALF_OP(*)
  __KVGEN_HALF_OP(/)
#undef __KVGEN_HALF_OP
  friend __KVGEN_VEC __half operator-(const __half& a) { return __half((_Float16)-a.data); }
  friend __KVGEN_VEC __half operator+(const __half& a) { return a; }
  __KVGEN_VEC __half& operator++() { return *this += __half(1); }
  __KVGEN_VEC __half& operator--() { return *this -= __half(1); }
#define __KVGEN_HALF_COMPARE(op) \
  friend __KVGEN_VEC bool operator op(const __half& a, const __half& b) { return a.data op b.data; }
  __KVGEN_HALF_COMPARE(==)
  __KVGEN_HALF_COMPARE(!=)
  __KVGEN_HALF_COMPARE(<)
  __KVGEN_HALF_COMPARE(>)
  __KVGEN_HALF_COMPARE(<=)
  __KVGEN_HALF_COMPARE(>=)
#undef __KVGEN_HALF_COMPARE
};
typedef __half half;

__KVGEN_FN __half __float2half(float x) { return __half(x); }
__KVGEN_FN __half __float2half_rn(float x) { return __half(x); }
__KVGEN_FN __half __double2half(double x) { return __half(x); }
__KVGEN_FN float __half2float(__half x) { return (float)x.data; }
__KVGEN_FN __half __int2half_rn(int x) { return __half(x); }
__KVGEN_FN __half __uint2half_rn(unsigned x) { return __half(x); }
__KVGEN_FN __half __short2half_rn(short x) { return __half(x); }
__KVGEN_FN __half __ll2half_rn(long long x) { return __half(x); }
__KVGEN_FN int __half2int_rn(__half x) { return (int)__builtin_rintf((float)x.data); }
__KVGEN_FN int __half2int_rz(__half x) { return (int)(float)x.data; }
__KVGEN_FN unsigned __half2uint_rn(__half x) { return (unsigned)__builtin_rintf((float)x.data); }
__KVGEN_FN unsigned __half2uint_rz(__half x) { return (unsigned)(float)x.data; }
__KVGEN_FN unsigned short __half_as_ushort(__half x) {
  return __builtin_bit_cast(unsigned short, x.data);
}
__KVGEN_FN short __half_as_short(__half x) { return __builtin_bit_cast(short, x.data); }
__KVGEN_FN __half __ushort_as_half(unsigned short x) {
  return __half(__builtin_bit_cast(_Float16, x));
}
__KVGEN_FN __half __short_as_half(short x) { return __half(__builtin_bit_cast(_Float16, x)); }

__KVGEN_FN __half __hadd(__half a, __half b) { return a + b; }
__KVGEN_FN __half __hadd_rn(__half a, __half b) { return a + b; }
__KVGEN_FN __half __hsub(__half a, __half b) { return a - b; }
__KVGEN_FN __half __hmul(__half a, __half b) { return a * b; }
__KVGEN_FN __half __hmul_rn(__half a, __half b) { return a * b; }
__KVGEN_FN __half __hdiv(__half a, __half b) { return a / b; }
__KVGEN_FN __half __hneg(__half a) { return -a; }
// A float's fused product and sum of halves is exact but for its one rounding in double.
__KVGEN_FN __half __hfma(__half a, __half b, __half c) {
  return __half((_Float16)__builtin_fma((double)a.data, (double)b.data, (double)c.data));
}
__KVGEN_FN __half __habs(__half a) { return a.data < (_Float16)0 ? -a : a; }
__KVGEN_FN bool __heq(__half a, __half b) { return a == b; }
__KVGEN_FN bool __hne(__half a, __half b) { return a != b; }
__KVGEN_FN bool __hlt(__half a, __half b) { return a < b; }
__KVGEN_FN bool __hle(__half a, __half b) { return a <= b; }
__KVGEN_FN bool __hgt(__half a, __half b) { return a > b; }
__KVGEN_FN bool __hge(__half a, __half b) { return a >= b; }
__KVGEN_FN bool __hisnan(__half a) { return a.data != a.data; }
__KVGEN_FN int __hisinf(__half a) { return __builtin_isinf((float)a.data); }
__KVGEN_FN __half __hmax(__half a, __half b) {
  return __half(__builtin_fmaxf((float)a.data, (float)b.data));
}
__KVGEN_FN __half __hmin(__half a, __half b) {
  return __half(__builtin_fminf((float)a.data, (float)b.data));
}
__KVGEN_FN __half __clamp_01(__half a) { return __hmin(__hmax(a, __half(0)), __half(1)); }

#define __KVGEN_HALF1(name, expression) \
  __KVGEN_FN __half name(__half h) {    \
    const float x = (float)h.data;      \
    return __half(expression);          \
  }
__KVGEN_HALF1(hexp, ::expf(x))
__KVGEN_HALF1(hexp2, ::exp2f(x))
__KVGEN_HALF1(hexp10, ::exp10f(x))
__KVGEN_HALF1(hlog, ::logf(x))
__KVGEN_HALF1(hlog2, ::log2f(x))
__KVGEN_HALF1(hlog10, ::log10f(x))
__KVGEN_HALF1(hsqrt, ::sqrtf(x))
__KVGEN_HALF1(hrsqrt, ::rsqrtf(x))
__KVGEN_HALF1(hsin, ::sinf(x))
__KVGEN_HALF1(hcos, ::cosf(x))
__KVGEN_HALF1(htanh, ::tanhf(x))
__KVGEN_HALF1(hfloor, ::floorf(x))
__KVGEN_HALF1(hceil, ::ceilf(x))
__KVGEN_HALF1(hrint, ::rintf(x))
__KVGEN_HALF1(htrunc, ::truncf(x))
__KVGEN_HALF1(hrcp, 1.0f / x)
#undef __KVGEN_HALF1

__KVGEN_FN __half max(__half a, __half b) { return __hmax(a, b); }
__KVGEN_FN __half min(__half a, __half b) { return __hmin(a, b); }
