#pragma once
// Atomics of device scope, relaxed, as HIP's; *_block and *_system differ in scope only.

#define __KVGEN_ATOMIC(name, op, T, suffix, scope)                 \
  __KVGEN_FN T atomic##name##suffix(T* p, T v) {                   \
    return __hip_atomic_fetch_##op(p, v, __ATOMIC_RELAXED, scope); \
  }
#define __KVGEN_SCOPES(X, name, op, T)                 \
  X(name, op, T, , __HIP_MEMORY_SCOPE_AGENT)           \
  X(name, op, T, _block, __HIP_MEMORY_SCOPE_WORKGROUP) \
  X(name, op, T, _system, __HIP_MEMORY_SCOPE_SYSTEM)
#define __KVGEN_EXCHANGE(name, op, T, suffix, scope)             \
  __KVGEN_FN T atomicExch##suffix(T* p, T v) {                   \
    return __hip_atomic_exchange(p, v, __ATOMIC_RELAXED, scope); \
  }
#define __KVGEN_CAS(name, op, T, suffix, scope)                                               \
  __KVGEN_FN T atomicCAS##suffix(T* p, T expected, T v) {                                     \
    __hip_atomic_compare_exchange_strong(p, &expected, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, \
                                         scope);                                              \
    return expected;                                                                          \
  }
#define __KVGEN_SUB(name, op, T, suffix, scope)                         \
  __KVGEN_FN T atomicSub##suffix(T* p, T v) {                           \
    return __hip_atomic_fetch_add(p, (T) - v, __ATOMIC_RELAXED, scope); \
  }

#define __KVGEN_INTEGER(T)                    \
  __KVGEN_SCOPES(__KVGEN_ATOMIC, Add, add, T) \
  __KVGEN_SCOPES(__KVGEN_ATOMIC, Min, min, T) \
  __KVGEN_SCOPES(__KVGEN_ATOMIC, Max, max, T) \
  __KVGEN_SCOPES(__KVGEN_ATOMIC, And, and, T) \
  __KVGEN_SCOPES(__KVGEN_ATOMIC, Or, or, T)   \
  __KVGEN_SCOPES(__KVGEN_ATOMIC, Xor, xor, T) \
  __KVGEN_SCOPES(__KVGEN_SUB, , , T)          \
  __KVGEN_SCOPES(__KVGEN_EXCHANGE, , , T)     \
  __KVGEN_SCOPES(__KVGEN_CAS, , , T)
__KVGEN_INTEGER(int)
__KVGEN_INTEGER(unsigned)
__KVGEN_INTEGER(long)
__KVGEN_INTEGER(unsigned long)
__KVGEN_INTEGER(long long)
__KVGEN_INTEGER(unsigned long long)
#define __KVGEN_REAL(T)                       \
  __KVGEN_SCOPES(__KVGEN_ATOMIC, Add, add, T) \
  __KVGEN_SCOPES(__KVGEN_ATOMIC, Min, min, T) \
  __KVGEN_SCOPES(__KVGEN_ATOMIC, Max, max, T) \
  __KVGEN_SCOPES(__KVGEN_SUB, , , T)          \
  __KVGEN_SCOPES(__KVGEN_EXCHANGE, , , T)     \
  __KVGEN_SCOPES(__KVGEN_CAS, , , T)
__KVGEN_REAL(float)
__KVGEN_REAL(double)
#undef __KVGEN_REAL
#undef __KVGEN_INTEGER
#undef __KVGEN_SUB
#undef __KVGEN_CAS
#undef __KVGEN_EXCHANGE
#undef __KVGEN_SCOPES
#undef __KVGEN_ATOMIC

__KVGEN_FN unsigned atomicInc(unsigned* p, unsigned limit) {
  unsigned old = __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (!__hip_atomic_compare_exchange_strong(p, &old, old >= limit ? 0 : old + 1,
                                               __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT)) {
  }
  return old;
}
__KVGEN_FN unsigned atomicDec(unsigned* p, unsigned limit) {
  unsigned old = __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (!__hip_atomic_compare_exchange_strong(p, &old, old == 0 || old > limit ? limit : old - 1,
                                               __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT)) {
  }
  return old;
}

// The hardware's own floating-point atomics: right for memory that only this device uses.
#define __KVGEN_UNSAFE(T)                                                               \
  __KVGEN_FN T unsafeAtomicAdd(T* p, T v) {                                             \
    [[clang::atomic(no_remote_memory, no_fine_grained_memory, ignore_denormal_mode)]] { \
      return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);  \
    }                                                                                   \
  }                                                                                     \
  __KVGEN_FN T safeAtomicAdd(T* p, T v) { return atomicAdd(p, v); }                     \
  __KVGEN_FN void atomicAddNoRet(T* p, T v) { unsafeAtomicAdd(p, v); }                  \
  __KVGEN_FN T unsafeAtomicMax(T* p, T v) { return atomicMax(p, v); }                   \
  __KVGEN_FN T unsafeAtomicMin(T* p, T v) { return atomicMin(p, v); }
__KVGEN_UNSAFE(float)
__KVGEN_UNSAFE(double)
#undef __KVGEN_UNSAFE

// Types narrower than a word go through a compare-and-swap of the 32 bits that hold them.
template <class V>
__KVGEN_FN V __kvgen_atomic_add_pair(V* p, V v) {
  unsigned* word = (unsigned*)p;
  unsigned old = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (!__hip_atomic_compare_exchange_strong(
      word, &old, __builtin_bit_cast(unsigned, __builtin_bit_cast(V, old) + v), __ATOMIC_RELAXED,
      __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
  }
  return __builtin_bit_cast(V, old);
}
template <class V>
__KVGEN_FN V __kvgen_atomic_add_half(V* p, V v) {
  unsigned* word = (unsigned*)((uintptr_t)p & ~(uintptr_t)3);
  const unsigned shift = ((uintptr_t)p & 2) * 8;
  unsigned old = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  for (;;) {
    const V before = __builtin_bit_cast(V, (unsigned short)(old >> shift));
    const unsigned bits = __builtin_bit_cast(unsigned short, (V)(before + v));
    const unsigned next = (old & ~(0xffffu << shift)) | bits << shift;
    if (__hip_atomic_compare_exchange_strong(word, &old, next, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                             __HIP_MEMORY_SCOPE_AGENT)) {
      return before;
    }
  }
}
__KVGEN_FN __half atomicAdd(__half* p, __half v) { return __kvgen_atomic_add_half(p, v); }
__KVGEN_FN __half2 atomicAdd(__half2* p, __half2 v) { return __kvgen_atomic_add_pair(p, v); }
__KVGEN_FN __half2 unsafeAtomicAdd(__half2* p, __half2 v) { return atomicAdd(p, v); }
__KVGEN_FN __hip_bfloat16 atomicAdd(__hip_bfloat16* p, __hip_bfloat16 v) {
  return __kvgen_atomic_add_half(p, v);
}
__KVGEN_FN __hip_bfloat162 atomicAdd(__hip_bfloat162* p, __hip_bfloat162 v) {
  return __kvgen_atomic_add_pair(p, v);
}
__KVGEN_FN __hip_bfloat162 unsafeAtomicAdd(__hip_bfloat162* p, __hip_bfloat162 v) {
  return atomicAdd(p, v);
}
