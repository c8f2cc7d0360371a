#pragma once
// Builtins that Clang's own headers and ours use and that the Clang inside an older hiprtc lacks
// (5.2 holds 15). Nothing is defined where the compiler has them.

#define __KVGEN_OLDER static inline __attribute__((always_inline, nothrow, device))
#if !__has_builtin(__builtin_amdgcn_exp2f)
__KVGEN_OLDER float __builtin_amdgcn_exp2f(float x) { return __builtin_exp2f(x); }
#endif
#if !__has_builtin(__builtin_amdgcn_logf)
__KVGEN_OLDER float __builtin_amdgcn_logf(float x) { return __builtin_log2f(x); }
#endif
#if !__has_builtin(__builtin_exp10f)
extern "C" __attribute__((device, pure)) float __ocml_exp10_f32(float);
__KVGEN_OLDER float __builtin_exp10f(float x) { return __ocml_exp10_f32(x); }
#endif
#if !__has_builtin(__builtin_amdgcn_ballot_w64)
__KVGEN_OLDER unsigned long __builtin_amdgcn_ballot_w64(bool predicate) {
  return __builtin_amdgcn_uicmp((unsigned)predicate, 0u, 33);  // 33: not equal
}
#endif
#if !__has_builtin(__builtin_readsteadycounter)
__KVGEN_OLDER unsigned long long __builtin_readsteadycounter() {
  return __builtin_amdgcn_s_memrealtime();
}
#endif
#undef __KVGEN_OLDER
