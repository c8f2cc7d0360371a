#pragma once
// bfloat16 as HIP's two types: computed in float, rounded to nearest even after each operation.
// __hip_bfloat16 comes from a float implicitly, the older hip_bfloat16 explicitly; so
// `b * 2.0f` is a float product for the older one only.

__KVGEN_VEC unsigned short __kvgen_bfloat16_bits(float v) {
  const unsigned bits = __builtin_bit_cast(unsigned, v);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (unsigned short)(bits >> 16 | 0x40u);
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

struct __hip_bfloat16_raw {
  unsigned short x;
};

#define __KVGEN_BF16_OP(T, op)                                                                 \
  friend __KVGEN_VEC T operator op(const T& a, const T& b) { return T((float)a op(float) b); } \
  __KVGEN_VEC T& operator op## = (const T& b) { return *this = *this op b; }
#define __KVGEN_BF16_COMPARE(T, op) \
  friend __KVGEN_VEC bool operator op(const T& a, const T& b) { return (float)a op(float) b; }
#define __KVGEN_BF16_OPERATORS(T)       \
  __KVGEN_BF16_OP(T, +)                 \
  __KVGEN_BF16_OP(T, -)                 \
  __KVGEN_BF16_OP(T, *)                 \
  __KVGEN_BF16_OP(T, /)                 \
  __KVGEN_BF16_COMPARE(T, ==)           \
  __KVGEN_BF16_COMPARE(T, !=)           \
  __KVGEN_BF16_COMPARE(T, <)            \
  __KVGEN_BF16_COMPARE(T, >)            \
  __KVGEN_BF16_COMPARE(T, <=)           \
  __KVGEN_BF16_COMPARE(T, >=)           \
  friend __KVGEN_VEC T operator-(T a) { \
    a.data ^= 0x8000;                   \
    return a;                           \
  }                                     \
  friend __KVGEN_VEC T operator+(const T& a) { return a; }

struct __hip_bfloat16 {
  unsigned short data;

  __hip_bfloat16() = default;
  __KVGEN_VEC __hip_bfloat16(float v) : data(__kvgen_bfloat16_bits(v)) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, float>>>
  explicit __KVGEN_VEC __hip_bfloat16(T v) : data(__kvgen_bfloat16_bits((float)v)) {}
  __KVGEN_VEC __hip_bfloat16(const __hip_bfloat16_raw& raw) : data(raw.x) {}

  __KVGEN_VEC operator float() const { return __builtin_bit_cast(float, (unsigned)data << 16); }
  explicit __KVGEN_VEC operator bool() const { return (data & 0x7fff) != 0; }
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, float>>>
  explicit __KVGEN_VEC operator T() const {
    return (T)(float)*this;
  }
  __KVGEN_VEC operator __hip_bfloat16_raw() const { return __hip_bfloat16_raw{data}; }

  __KVGEN_BF16_OPERATORS(__hip_bfloat16)
};

struct hip_bfloat16 {
  unsigned short data;

  hip_bfloat16() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  explicit __KVGEN_VEC hip_bfloat16(T v) : data(__kvgen_bfloat16_bits((float)v)) {}
  static __KVGEN_VEC hip_bfloat16 round_to_bfloat16(float v) { return hip_bfloat16(v); }
  __KVGEN_VEC operator float() const { return __builtin_bit_cast(float, (unsigned)data << 16); }
  explicit __KVGEN_VEC operator bool() const { return (data & 0x7fff) != 0; }

  __KVGEN_BF16_OPERATORS(hip_bfloat16)
};
#undef __KVGEN_BF16_OPERATORS

struct __attribute__((aligned(4))) __hip_bfloat162 {
  __hip_bfloat16 x, y;
  __hip_bfloat162() = default;
  __KVGEN_VEC __hip_bfloat162(const __hip_bfloat16& a, const __hip_bfloat16& b) : x(a), y(b) {}
#define __KVGEN_BF162_OP(op)                                                 \
  friend __KVGEN_VEC __hip_bfloat162 operator op(const __hip_bfloat162& a,   \
                                                 const __hip_bfloat162& b) { \
    return __hip_bfloat162(a.x op b.x, a.y op b.y);                          \
  }
  __KVGEN_BF162_OP(+)
  __KVGEN_BF162_OP(-)
  __KVGEN_BF162_OP(*)
  __KVGEN_BF162_OP(/)
#undef __KVGEN_BF162_OP
};

__KVGEN_FN float __bfloat162float(__hip_bfloat16 a) { return (float)a; }
__KVGEN_FN __hip_bfloat16 __float2bfloat16(float a) { return __hip_bfloat16(a); }
__KVGEN_FN __hip_bfloat16 __float2bfloat16_rn(float a) { return __hip_bfloat16(a); }
__KVGEN_FN __hip_bfloat16 __double2bfloat16(double a) { return __hip_bfloat16((float)a); }
__KVGEN_FN __hip_bfloat16 __int2bfloat16_rn(int a) { return __hip_bfloat16((float)a); }
__KVGEN_FN unsigned short __bfloat16_as_ushort(__hip_bfloat16 a) { return a.data; }
__KVGEN_FN __hip_bfloat16 __ushort_as_bfloat16(unsigned short a) {
  return __hip_bfloat16(__hip_bfloat16_raw{a});
}
__KVGEN_FN __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __hip_bfloat162(a, b);
}
__KVGEN_FN __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 a) { return __hip_bfloat162(a, a); }
__KVGEN_FN __hip_bfloat162 __float2bfloat162_rn(float a) {
  return __hip_bfloat162(__hip_bfloat16(a), __hip_bfloat16(a));
}
__KVGEN_FN __hip_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __hip_bfloat162(__hip_bfloat16(a), __hip_bfloat16(b));
}
__KVGEN_FN __hip_bfloat162 __float22bfloat162_rn(float2 a) {
  return __hip_bfloat162(__hip_bfloat16(a.x), __hip_bfloat16(a.y));
}
__KVGEN_FN float2 __bfloat1622float2(__hip_bfloat162 a) { return float2((float)a.x, (float)a.y); }
__KVGEN_FN __hip_bfloat16 __low2bfloat16(__hip_bfloat162 a) { return a.x; }
__KVGEN_FN __hip_bfloat16 __high2bfloat16(__hip_bfloat162 a) { return a.y; }
__KVGEN_FN float __low2float(__hip_bfloat162 a) { return (float)a.x; }
__KVGEN_FN float __high2float(__hip_bfloat162 a) { return (float)a.y; }

__KVGEN_FN __hip_bfloat16 __hadd(__hip_bfloat16 a, __hip_bfloat16 b) { return a + b; }
__KVGEN_FN __hip_bfloat16 __hsub(__hip_bfloat16 a, __hip_bfloat16 b) { return a - b; }
__KVGEN_FN __hip_bfloat16 __hmul(__hip_bfloat16 a, __hip_bfloat16 b) { return a * b; }
__KVGEN_FN __hip_bfloat16 __hdiv(__hip_bfloat16 a, __hip_bfloat16 b) { return a / b; }
__KVGEN_FN __hip_bfloat16 __hneg(__hip_bfloat16 a) { return -a; }
__KVGEN_FN __hip_bfloat16 __habs(__hip_bfloat16 a) {
  return __ushort_as_bfloat16((unsigned short)(a.data & 0x7fff));
}
__KVGEN_FN __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c) {
  return __hip_bfloat16(__builtin_fmaf((float)a, (float)b, (float)c));
}
__KVGEN_FN __hip_bfloat16 __hmax(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __hip_bfloat16(__builtin_fmaxf((float)a, (float)b));
}
__KVGEN_FN __hip_bfloat16 __hmin(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __hip_bfloat16(__builtin_fminf((float)a, (float)b));
}
__KVGEN_FN bool __heq(__hip_bfloat16 a, __hip_bfloat16 b) { return a == b; }
__KVGEN_FN bool __hne(__hip_bfloat16 a, __hip_bfloat16 b) { return a != b; }
__KVGEN_FN bool __hlt(__hip_bfloat16 a, __hip_bfloat16 b) { return a < b; }
__KVGEN_FN bool __hle(__hip_bfloat16 a, __hip_bfloat16 b) { return a <= b; }
__KVGEN_FN bool __hgt(__hip_bfloat16 a, __hip_bfloat16 b) { return a > b; }
__KVGEN_FN bool __hge(__hip_bfloat16 a, __hip_bfloat16 b) { return a >= b; }
__KVGEN_FN bool __hisnan(__hip_bfloat16 a) { return __builtin_isnan((float)a); }
__KVGEN_FN __hip_bfloat162 __hadd2(__hip_bfloat162 a, __hip_bfloat162 b) { return a + b; }
__KVGEN_FN __hip_bfloat162 __hsub2(__hip_bfloat162 a, __hip_bfloat162 b) { return a - b; }
__KVGEN_FN __hip_bfloat162 __hmul2(__hip_bfloat162 a, __hip_bfloat162 b) { return a * b; }
__KVGEN_FN __hip_bfloat162 __hfma2(__hip_bfloat162 a, __hip_bfloat162 b, __hip_bfloat162 c) {
  return __hip_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
