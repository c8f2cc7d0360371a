#pragma once
// The target's primitives on the cpu device: calls into its runtime (kvgen/cpu/abi.h).
// kvgen_target_amdgcn.h defines the same names; everything above them is common.

#define KVGEN_CPU_DEVICE __attribute__((device))
#include "kvgen/cpu/abi.h"
#undef KVGEN_CPU_DEVICE

extern "C" {
__attribute__((device, visibility("hidden"))) kvgen_cpu_context kvgen_cpu_current;
__device__ int printf(const char* format, ...) __asm__("kvgen_cpu_printf");
}

#define __KVGEN_INDEX(name, field)                                               \
  __KVGEN_FN unsigned __kvgen_##name##_x() { return kvgen_cpu_current.field.x; } \
  __KVGEN_FN unsigned __kvgen_##name##_y() { return kvgen_cpu_current.field.y; } \
  __KVGEN_FN unsigned __kvgen_##name##_z() { return kvgen_cpu_current.field.z; }
__KVGEN_INDEX(thread, thread_idx)
__KVGEN_INDEX(block, block_idx)
__KVGEN_INDEX(block_dim, block_dim)
__KVGEN_INDEX(grid_dim, grid_dim)
#undef __KVGEN_INDEX

__KVGEN_FN unsigned __kvgen_lane() { return kvgen_cpu_current.lane; }

__KVGEN_FN void __kvgen_barrier(unsigned site) { kvgen_cpu_barrier(site); }
__KVGEN_FN int __kvgen_barrier_count(int predicate, unsigned site) {
  return kvgen_cpu_barrier_vote(KVGEN_CPU_VOTE_COUNT, predicate, site);
}
__KVGEN_FN int __kvgen_barrier_and(int predicate, unsigned site) {
  return kvgen_cpu_barrier_vote(KVGEN_CPU_VOTE_AND, predicate, site);
}
__KVGEN_FN int __kvgen_barrier_or(int predicate, unsigned site) {
  return kvgen_cpu_barrier_vote(KVGEN_CPU_VOTE_OR, predicate, site);
}
__KVGEN_FN void __kvgen_wave_sync(unsigned site) { kvgen_cpu_wave_sync(site); }

__KVGEN_FN unsigned __kvgen_shuffle32(unsigned value, int lane, unsigned site) {
  return (unsigned)kvgen_cpu_shuffle(value, lane & 63, site);
}
__KVGEN_FN unsigned long long __kvgen_shuffle64(unsigned long long value, int lane, unsigned site) {
  return kvgen_cpu_shuffle(value, lane & 63, site);
}
__KVGEN_FN unsigned long long __kvgen_ballot(int predicate, unsigned site) {
  return kvgen_cpu_ballot(predicate, site);
}
// Lanes that take part here.
__KVGEN_FN unsigned long long __kvgen_active(unsigned site) { return kvgen_cpu_ballot(1, site); }

__KVGEN_FN void __kvgen_fence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__KVGEN_FN void __kvgen_fence_device() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
// The threads of a block are fibers of one OS thread.
__KVGEN_FN void __kvgen_fence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

__KVGEN_FN unsigned long long __kvgen_clock() { return kvgen_cpu_clock(); }
__KVGEN_FN unsigned long long __kvgen_wall_clock() { return kvgen_cpu_clock(); }

__KVGEN_FN void __kvgen_assert_fail(const char* expression, const char* file, unsigned line) {
  kvgen_cpu_assert_fail(expression, file, line);
}

__KVGEN_FN _Float16 __kvgen_rcp(_Float16 x) { return (_Float16)(1.0f / (float)x); }
__KVGEN_FN _Float16 __kvgen_rsqrt(_Float16 x) {
  return (_Float16)(1.0f / __builtin_sqrtf((float)x));
}

// clang-format off: each uses those before it
#include "kvgen_cpu_math.h"
#include "kvgen_cpu_builtins.h"
#include "kvgen_cpu_dpp.h"
#include "kvgen_cpu_mfma.h"
// clang-format on
