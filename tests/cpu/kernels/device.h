#pragma once
// Kernels as C++ against cpu/abi.h alone, so that the runtime is tested without
// the compiler room: KERNEL(name) after a function makes its entry.
#include <cstddef>
#include <cstring>
#include <utility>

#include "kvgen/cpu/abi.h"

extern "C" {
__attribute__((visibility("hidden"))) inline kvgen_cpu_context kvgen_cpu_current;
extern char __start_kvgen_lds[] __attribute__((weak, visibility("hidden")));
extern char __stop_kvgen_lds[] __attribute__((weak, visibility("hidden")));
extern char kvgen_cpu_dynamic_lds[];
__attribute__((used, visibility("default"))) inline const kvgen_cpu_object_info kvgen_cpu_object = {
    KVGEN_CPU_MAGIC,    KVGEN_CPU_ABI_VERSION, KVGEN_CPU_ISA_V2, 0,
    &kvgen_cpu_current, __start_kvgen_lds,     __stop_kvgen_lds};
}

#define threadIdx (kvgen_cpu_current.thread_idx)
#define blockIdx (kvgen_cpu_current.block_idx)
#define blockDim (kvgen_cpu_current.block_dim)
#define gridDim (kvgen_cpu_current.grid_dim)
#define LANE static_cast<int>(kvgen_cpu_current.lane)
#define SHARED static __attribute__((section("kvgen_lds")))
#define HERE KVGEN_CPU_SITE(__builtin_LINE(), __builtin_COLUMN())
#define SYNC() kvgen_cpu_barrier(HERE)

template <class T>
T argument(const kvgen_cpu_slot& slot) {
  T value;
  std::memcpy(&value, &slot, sizeof value);
  return value;
}

template <class... A, std::size_t... I>
void call(void (*kernel)(A...), const kvgen_cpu_slot* slots, std::index_sequence<I...>) {
  kernel(argument<A>(slots[I])...);
}

template <class... A>
void enter(void (*kernel)(A...), const kvgen_cpu_slot* slots) {
  call(kernel, slots, std::index_sequence_for<A...>{});
}

#define KERNEL(name)                                                         \
  extern "C" __attribute__((used, visibility("default"))) void name##_entry( \
      const kvgen_cpu_slot* slots) __asm__("kvgen_entry." #name);            \
  void name##_entry(const kvgen_cpu_slot* slots) { enter(&name, slots); }

inline float shuffle(float value, int lane, unsigned site) {
  unsigned bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits = static_cast<unsigned>(kvgen_cpu_shuffle(bits, lane, site));
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}
inline float shuffle_down(float value, int by, unsigned site) {
  return shuffle(value, LANE + by > 63 ? LANE : LANE + by, site);
}
