#include "device.h"

// n is one too many, or `from` is -1.
static void copy_range(const float* x, float* out, int from, int to) {
  const int i = from + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < to) out[i < 0 ? 0 : i] = x[i];
}
KERNEL(copy_range)

static void write_range(float* out, int from, int to) {
  const int i = from + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < to) out[i] = 1;
}
KERNEL(write_range)

static void null_dereference(const float* x, float* out, int n) {
  const float* p = n > 0 ? nullptr : x;
  const float* volatile hidden = p;
  out[threadIdx.x] = hidden[threadIdx.x];
}
KERNEL(null_dereference)

static void wild_pointer(float* out) {
  volatile unsigned long address = 0x7ff0000000000000UL;
  out[threadIdx.x] = *reinterpret_cast<const float*>(address + threadIdx.x);
}
KERNEL(wild_pointer)

static __attribute__((noinline)) int deep(volatile int* below, int n) {
  volatile int frame[256];
  frame[n & 255] = n;
  return n < 0 ? *below : deep(frame, n + 1) + frame[n & 255];
}
static void stack_overflow(float* out) {
  volatile int bottom = 0;
  out[threadIdx.x] = static_cast<float>(deep(&bottom, 1));
}
KERNEL(stack_overflow)

static void infinite_loop(float* out) {
  for (volatile int i = 0; i >= 0; i = 1) {
  }
  out[0] = 1;
}
KERNEL(infinite_loop)

static void spin_wait(float* out) {
  SHARED volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  SYNC();
  if (threadIdx.x == 0) {
    while (flag == 0) {
    }
  } else {
    flag = 1;
  }
  out[threadIdx.x] = 1;
}
KERNEL(spin_wait)

static void missing_barrier(const float* x, float* out) {
  SHARED float tile[256];
  tile[threadIdx.x] = x[threadIdx.x];
  out[threadIdx.x] = tile[255 - threadIdx.x];
}
KERNEL(missing_barrier)

static void divergent_barrier(float* out) {
  if (threadIdx.x < 100) {
    SYNC();
  } else {
    SYNC();
  }
  out[threadIdx.x] = 1;
}
KERNEL(divergent_barrier)

static void exit_before_barrier(float* out, int n) {
  if (static_cast<int>(threadIdx.x) >= n) return;
  SYNC();
  out[threadIdx.x] = 1;
}
KERNEL(exit_before_barrier)

static void write_input(const float* x, float* out) {
  const_cast<float*>(x)[threadIdx.x] = 3;
  out[threadIdx.x] = 1;
}
KERNEL(write_input)

static void trap(float* out) {
  if (threadIdx.x == 7) __builtin_trap();
  out[threadIdx.x] = 1;
}
KERNEL(trap)

static void assertion(const float* x, float* out) {
  if (!(x[0] > 1e9F)) kvgen_cpu_assert_fail("x[0] > 1e9f", "kernel.hip", 12);
  out[threadIdx.x] = 1;
}
KERNEL(assertion)

static void divide_by_zero(float* out, int n) {
  volatile int zero = n - n;
  out[threadIdx.x] = static_cast<float>(n / zero);
}
KERNEL(divide_by_zero)

static void past_dynamic_lds(float* out, int n) {
  auto* const lds = reinterpret_cast<volatile float*>(kvgen_cpu_dynamic_lds);
  lds[static_cast<int>(threadIdx.x) + n] = 1;
  out[threadIdx.x] = 1;
}
KERNEL(past_dynamic_lds)

static void uninitialised_lds(float* out) {
  SHARED volatile float tile[256];
  out[threadIdx.x] = tile[threadIdx.x];
}
KERNEL(uninitialised_lds)

// What a candidate cannot write (inline assembly is refused) and must not do all the same.
static void system_call(float* out, int number) {
  long result = number;
  asm volatile("syscall" : "+a"(result) : "D"(0), "S"(0), "d"(0) : "rcx", "r11", "memory");
  out[threadIdx.x] = static_cast<float>(result);
}
KERNEL(system_call)
