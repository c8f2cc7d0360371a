#pragma once
// Integer intrinsics and reinterpretations.

__KVGEN_FN int __popc(unsigned x) { return __builtin_popcount(x); }
__KVGEN_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__KVGEN_FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
__KVGEN_FN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
__KVGEN_FN int __ffs(int x) { return x ? __builtin_ctz((unsigned)x) + 1 : 0; }
__KVGEN_FN int __ffs(unsigned x) { return x ? __builtin_ctz(x) + 1 : 0; }
__KVGEN_FN int __ffsll(unsigned long long x) { return x ? __builtin_ctzll(x) + 1 : 0; }
__KVGEN_FN int __ffsll(long long x) { return __ffsll((unsigned long long)x); }
__KVGEN_FN int __ffsll(unsigned long x) { return __ffsll((unsigned long long)x); }
__KVGEN_FN unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
__KVGEN_FN unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

__KVGEN_FN int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
__KVGEN_FN unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
__KVGEN_FN int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
__KVGEN_FN unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a * b) >> 32);
}
__KVGEN_FN long long __mul64hi(long long a, long long b) {
  return (long long)(((__int128)a * b) >> 64);
}
__KVGEN_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
__KVGEN_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__KVGEN_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__KVGEN_FN unsigned __uhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b) >> 1);
}
__KVGEN_FN unsigned __urhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
__KVGEN_FN unsigned __sad(int a, int b, unsigned c) {
  return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a);
}
__KVGEN_FN unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return c + (a > b ? a - b : b - a);
}
__KVGEN_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned select) {
  unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned out = 0;
  for (int i = 0; i < 4; ++i) {
    out |= (unsigned)(bytes >> 8 * (select >> 4 * i & 7) & 0xff) << 8 * i;
  }
  return out;
}
__KVGEN_FN unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
__KVGEN_FN unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
__KVGEN_FN unsigned __bitextract_u32(unsigned x, unsigned offset, unsigned width) {
  return x >> (offset & 31) & ((1u << (width & 31)) - 1);
}

__KVGEN_FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__KVGEN_FN unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__KVGEN_FN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__KVGEN_FN float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
__KVGEN_FN long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__KVGEN_FN double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__KVGEN_FN int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
__KVGEN_FN int __double2loint(double x) { return (int)__double_as_longlong(x); }
__KVGEN_FN double __hiloint2double(int high, int low) {
  return __longlong_as_double(
      (long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

// Conversions that name their rounding. The saturation is HIP's and C's undefined case.
#define __KVGEN_ROUNDED(from, F, suffix)                                                       \
  __KVGEN_FN int __##from##2int_rn(F x) { return (int)__builtin_rint##suffix(x); }             \
  __KVGEN_FN int __##from##2int_rz(F x) { return (int)__builtin_trunc##suffix(x); }            \
  __KVGEN_FN int __##from##2int_rd(F x) { return (int)__builtin_floor##suffix(x); }            \
  __KVGEN_FN int __##from##2int_ru(F x) { return (int)__builtin_ceil##suffix(x); }             \
  __KVGEN_FN unsigned __##from##2uint_rn(F x) { return (unsigned)__builtin_rint##suffix(x); }  \
  __KVGEN_FN unsigned __##from##2uint_rz(F x) { return (unsigned)__builtin_trunc##suffix(x); } \
  __KVGEN_FN unsigned __##from##2uint_rd(F x) { return (unsigned)__builtin_floor##suffix(x); } \
  __KVGEN_FN unsigned __##from##2uint_ru(F x) { return (unsigned)__builtin_ceil##suffix(x); }  \
  __KVGEN_FN long long __##from##2ll_rn(F x) { return (long long)__builtin_rint##suffix(x); }  \
  __KVGEN_FN long long __##from##2ll_rz(F x) { return (long long)__builtin_trunc##suffix(x); } \
  __KVGEN_FN long long __##from##2ll_rd(F x) { return (long long)__builtin_floor##suffix(x); } \
  __KVGEN_FN long long __##from##2ll_ru(F x) { return (long long)__builtin_ceil##suffix(x); }
__KVGEN_ROUNDED(float, float, f)
__KVGEN_ROUNDED(double, double, )
#undef __KVGEN_ROUNDED
__KVGEN_FN float __int2float_rn(int x) { return (float)x; }
__KVGEN_FN float __int2float_rz(int x) { return (float)x; }
__KVGEN_FN float __uint2float_rn(unsigned x) { return (float)x; }
__KVGEN_FN float __ll2float_rn(long long x) { return (float)x; }
__KVGEN_FN float __ull2float_rn(unsigned long long x) { return (float)x; }
__KVGEN_FN double __int2double_rn(int x) { return (double)x; }
__KVGEN_FN double __uint2double_rn(unsigned x) { return (double)x; }
__KVGEN_FN double __ll2double_rn(long long x) { return (double)x; }
__KVGEN_FN float __double2float_rn(double x) { return (float)x; }

// Cached and streaming loads: hints that change nothing but the cache.
template <class T>
__KVGEN_FN T __ldg(const T* p) {
  return *p;
}
template <class T>
__KVGEN_FN T __ldca(const T* p) {
  return *p;
}
template <class T>
__KVGEN_FN T __ldcg(const T* p) {
  return *p;
}
template <class T>
__KVGEN_FN T __ldcs(const T* p) {
  return *p;
}
template <class T>
__KVGEN_FN void __stcs(T* p, T v) {
  *p = v;
}
template <class T>
__KVGEN_FN void __stcg(T* p, T v) {
  *p = v;
}
