#pragma once
// The target's primitives on AMD GPUs. kvgen_target_cpu.h defines the same names; everything
// above them is common.

#include "kvgen_older_clang.h"
#pragma push_macro("__HIPCC_RTC__")
#undef __HIPCC_RTC__
#define __HIPCC_RTC__ 1
#include <__clang_hip_libdevice_declares.h>
#include <__clang_hip_math.h>
#pragma pop_macro("__HIPCC_RTC__")

extern "C" {
__device__ int printf(const char* format, ...);
__device__ unsigned long __ockl_get_local_size(unsigned dimension);
__device__ unsigned long __ockl_get_num_groups(unsigned dimension);
}

#define __KVGEN_INDEX(name, x, y, z)                                 \
  __KVGEN_FN unsigned __kvgen_##name##_x() { return (unsigned)(x); } \
  __KVGEN_FN unsigned __kvgen_##name##_y() { return (unsigned)(y); } \
  __KVGEN_FN unsigned __kvgen_##name##_z() { return (unsigned)(z); }
__KVGEN_INDEX(thread, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
              __builtin_amdgcn_workitem_id_z())
__KVGEN_INDEX(block, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
              __builtin_amdgcn_workgroup_id_z())
__KVGEN_INDEX(block_dim, __ockl_get_local_size(0), __ockl_get_local_size(1),
              __ockl_get_local_size(2))
__KVGEN_INDEX(grid_dim, __ockl_get_num_groups(0), __ockl_get_num_groups(1),
              __ockl_get_num_groups(2))
#undef __KVGEN_INDEX

__KVGEN_FN unsigned __kvgen_lane() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}

__KVGEN_FN void __kvgen_barrier(unsigned) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

extern "C" {
__device__ int __ockl_wgred_add_i32(int value);
__device__ int __ockl_wgred_and_i32(int value);
__device__ int __ockl_wgred_or_i32(int value);
}
__KVGEN_FN int __kvgen_barrier_count(int p, unsigned) { return __ockl_wgred_add_i32(p != 0); }
__KVGEN_FN int __kvgen_barrier_and(int p, unsigned) { return __ockl_wgred_and_i32(p != 0); }
__KVGEN_FN int __kvgen_barrier_or(int p, unsigned) { return __ockl_wgred_or_i32(p != 0); }

__KVGEN_FN void __kvgen_wave_sync(unsigned) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

__KVGEN_FN unsigned __kvgen_shuffle32(unsigned value, int lane, unsigned) {
  return (unsigned)__builtin_amdgcn_ds_bpermute(lane << 2, (int)value);
}
__KVGEN_FN unsigned long long __kvgen_shuffle64(unsigned long long value, int lane, unsigned) {
  unsigned low = __kvgen_shuffle32((unsigned)value, lane, 0);
  unsigned high = __kvgen_shuffle32((unsigned)(value >> 32), lane, 0);
  return (unsigned long long)high << 32 | low;
}
__KVGEN_FN unsigned long long __kvgen_ballot(int predicate, unsigned) {
  return __builtin_amdgcn_ballot_w64(predicate != 0);
}
// Lanes that take part here.
__KVGEN_FN unsigned long long __kvgen_active(unsigned) { return __builtin_amdgcn_ballot_w64(true); }

__KVGEN_FN void __kvgen_fence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
__KVGEN_FN void __kvgen_fence_device() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
__KVGEN_FN void __kvgen_fence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }

__KVGEN_FN unsigned long long __kvgen_clock() { return __builtin_readcyclecounter(); }
__KVGEN_FN unsigned long long __kvgen_wall_clock() { return __builtin_readsteadycounter(); }

__KVGEN_FN void __kvgen_assert_fail(const char* expression, const char* file, unsigned line) {
  printf("%s:%u: assertion failed: %s\n", file, line, expression);
  __builtin_trap();
}

// The rate-limited reciprocals and half-precision functions of the hardware.
__KVGEN_FN _Float16 __kvgen_rcp(_Float16 x) { return __builtin_amdgcn_rcph(x); }
__KVGEN_FN _Float16 __kvgen_rsqrt(_Float16 x) { return __builtin_amdgcn_rsqh(x); }
