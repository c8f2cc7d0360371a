#pragma once
// __half2: two halves in 32 bits.

struct __attribute__((aligned(4))) __half2 {
  __half x, y;

  __half2() = default;
  __KVGEN_VEC __half2(const __half& a, const __half& b) : x(a), y(b) {}
  explicit __KVGEN_VEC __half2(const __half& a) : x(a), y(a) {}

#define __KVGEN_HALF2_OP(op)                                                   \
  friend __KVGEN_VEC __half2 operator op(const __half2& a, const __half2& b) { \
    return __half2(a.x op b.x, a.y op b.y);                                    \
  }                                                                            \
  __KVGEN_VEC __half2& operator op## = (const __half2& b) { return *this = *this op b; }
  __KVGEN_HALF2_OP(+)
  __KVGEN_HALF2_OP(-)
  __KVGEN_HALF2_OP(*)
  __KVGEN_HALF2_OP(/)
#undef __KVGEN_HALF2_OP
  friend __KVGEN_VEC __half2 operator-(const __half2& a) { return __half2(-a.x, -a.y); }
  friend __KVGEN_VEC bool operator==(const __half2& a, const __half2& b) {
    return a.x == b.x && a.y == b.y;
  }
  friend __KVGEN_VEC bool operator!=(const __half2& a, const __half2& b) { return !(a == b); }
};
typedef __half2 half2;

__KVGEN_FN __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__KVGEN_FN __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__KVGEN_FN __half2 __half2half2(__half a) { return __half2(a, a); }
__KVGEN_FN __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
__KVGEN_FN __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
__KVGEN_FN __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
__KVGEN_FN float2 __half22float2(__half2 a) { return float2((float)a.x, (float)a.y); }
__KVGEN_FN __half __low2half(__half2 a) { return a.x; }
__KVGEN_FN __half __high2half(__half2 a) { return a.y; }
__KVGEN_FN __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__KVGEN_FN __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__KVGEN_FN float __low2float(__half2 a) { return (float)a.x; }
__KVGEN_FN float __high2float(__half2 a) { return (float)a.y; }
__KVGEN_FN __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
__KVGEN_FN __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__KVGEN_FN __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

__KVGEN_FN __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
__KVGEN_FN __half2 __hsub2(__half2 a, __half2 b) { return a - b; }
__KVGEN_FN __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
__KVGEN_FN __half2 __h2div(__half2 a, __half2 b) { return a / b; }
__KVGEN_FN __half2 __hneg2(__half2 a) { return -a; }
__KVGEN_FN __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
__KVGEN_FN __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__KVGEN_FN __half2 __hmax2(__half2 a, __half2 b) {
  return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
__KVGEN_FN __half2 __hmin2(__half2 a, __half2 b) {
  return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
#define __KVGEN_HALF2_COMPARE(name, one)                          \
  __KVGEN_FN __half2 __h##name##2(__half2 a, __half2 b) {         \
    return __half2(__half(one(a.x, b.x)), __half(one(a.y, b.y))); \
  }                                                               \
  __KVGEN_FN bool __hb##name##2(__half2 a, __half2 b) { return one(a.x, b.x) && one(a.y, b.y); }
__KVGEN_HALF2_COMPARE(eq, __heq)
__KVGEN_HALF2_COMPARE(ne, __hne)
__KVGEN_HALF2_COMPARE(lt, __hlt)
__KVGEN_HALF2_COMPARE(le, __hle)
__KVGEN_HALF2_COMPARE(gt, __hgt)
__KVGEN_HALF2_COMPARE(ge, __hge)
#undef __KVGEN_HALF2_COMPARE

#define __KVGEN_HALF2_MATH(name) \
  __KVGEN_FN __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
__KVGEN_HALF2_MATH(exp)
__KVGEN_HALF2_MATH(exp2)
__KVGEN_HALF2_MATH(exp10)
__KVGEN_HALF2_MATH(log)
__KVGEN_HALF2_MATH(log2)
__KVGEN_HALF2_MATH(log10)
__KVGEN_HALF2_MATH(sqrt)
__KVGEN_HALF2_MATH(rsqrt)
__KVGEN_HALF2_MATH(sin)
__KVGEN_HALF2_MATH(cos)
__KVGEN_HALF2_MATH(floor)
__KVGEN_HALF2_MATH(ceil)
__KVGEN_HALF2_MATH(rint)
__KVGEN_HALF2_MATH(trunc)
__KVGEN_HALF2_MATH(rcp)
__KVGEN_HALF2_MATH(tanh)
#undef __KVGEN_HALF2_MATH
