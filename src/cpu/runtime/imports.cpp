#include "cpu/runtime/imports.h"

#include <strings.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "kvgen/cpu/abi.h"

// The back end calls these by itself; no header declares them.
extern "C" {
float __extendhfsf2(_Float16 value);
_Float16 __truncsfhf2(float value);
_Float16 __truncdfhf2(double value);
__uint128_t __udivti3(__uint128_t a, __uint128_t b);
__int128_t __divti3(__int128_t a, __int128_t b);
__uint128_t __umodti3(__uint128_t a, __uint128_t b);
__int128_t __modti3(__int128_t a, __int128_t b);
}

namespace kvgen {
namespace {

// libgcc has no conversions to bfloat16 before version 13. The result travels in the low
// 16 bits of xmm0, which a float holds.
float bfloat16_in_float(std::uint32_t bits) {
  const std::uint32_t rounded = (bits & 0x7fffffffU) > 0x7f800000U
                                    ? (bits >> 16U) | 0x40U
                                    : (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
  float carrier = 0;
  std::memcpy(&carrier, &rounded, sizeof carrier);
  return carrier;
}

float truncate_float(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bfloat16_in_float(bits);
}

// Rounds to odd on the way to float, so that the second rounding is the only one.
float truncate_double(double value) {
  auto near = static_cast<float>(value);
  if (static_cast<double>(near) != value && std::isfinite(near)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &near, sizeof bits);
    const bool away = std::fabs(static_cast<double>(near)) > std::fabs(value);
    if (away) bits -= 1;
    bits |= 1U;
    std::memcpy(&near, &bits, sizeof near);
  }
  return truncate_float(near);
}

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

using Table = std::vector<std::pair<std::string_view, void*>>;

Table make_table() {
  using Double1 = double (*)(double);
  using Float1 = float (*)(float);
  using Double2 = double (*)(double, double);
  using Float2 = float (*)(float, float);
  Table table = {
#define KVGEN_MATH1(name)                                         \
  {#name, reinterpret_cast<void*>(static_cast<Double1>(::name))}, \
      {#name "f", reinterpret_cast<void*>(static_cast<Float1>(::name##f))},
      KVGEN_CPU_IMPORTED_MATH1(KVGEN_MATH1)
#undef KVGEN_MATH1
#define KVGEN_MATH2(name)                                         \
  {#name, reinterpret_cast<void*>(static_cast<Double2>(::name))}, \
      {#name "f", reinterpret_cast<void*>(static_cast<Float2>(::name##f))},
          KVGEN_CPU_IMPORTED_MATH2(KVGEN_MATH2)
#undef KVGEN_MATH2
              {"fma", address(static_cast<double (*)(double, double, double)>(::fma))},
      {"fmaf", address(::fmaf)},
      {"ldexp", address(static_cast<double (*)(double, int)>(::ldexp))},
      {"ldexpf", address(::ldexpf)},
      {"scalbn", address(static_cast<double (*)(double, int)>(::scalbn))},
      {"scalbnf", address(::scalbnf)},
      {"scalbln", address(static_cast<double (*)(double, long)>(::scalbln))},
      {"scalblnf", address(::scalblnf)},
      {"frexp", address(static_cast<double (*)(double, int*)>(::frexp))},
      {"frexpf", address(::frexpf)},
      {"modf", address(static_cast<double (*)(double, double*)>(::modf))},
      {"modff", address(::modff)},
      {"ilogb", address(static_cast<int (*)(double)>(::ilogb))},
      {"ilogbf", address(::ilogbf)},
      {"remquo", address(static_cast<double (*)(double, double, int*)>(::remquo))},
      {"remquof", address(::remquof)},
      {"sincos", address(::sincos)},
      {"sincosf", address(::sincosf)},
      {"lrint", address(static_cast<long (*)(double)>(::lrint))},
      {"lrintf", address(::lrintf)},
      {"llrint", address(static_cast<long long (*)(double)>(::llrint))},
      {"llrintf", address(::llrintf)},
      {"lround", address(static_cast<long (*)(double)>(::lround))},
      {"lroundf", address(::lroundf)},
      {"llround", address(static_cast<long long (*)(double)>(::llround))},
      {"llroundf", address(::llroundf)},
      {"jn", address(static_cast<double (*)(int, double)>(::jn))},
      {"jnf", address(::jnf)},
      {"yn", address(static_cast<double (*)(int, double)>(::yn))},
      {"ynf", address(::ynf)},
      {"memcpy", address(::memcpy)},
      {"memmove", address(::memmove)},
      {"memset", address(::memset)},
      {"memcmp", address(::memcmp)},
      {"bcmp", address(::bcmp)},
      {"strlen", address(::strlen)},
      {"__extendhfsf2", address(::__extendhfsf2)},
      {"__truncsfhf2", address(::__truncsfhf2)},
      {"__truncdfhf2", address(::__truncdfhf2)},
      {"__truncsfbf2", address(truncate_float)},
      {"__truncdfbf2", address(truncate_double)},
      {"__udivti3", address(::__udivti3)},
      {"__divti3", address(::__divti3)},
      {"__umodti3", address(::__umodti3)},
      {"__modti3", address(::__modti3)},
      {"kvgen_cpu_barrier", address(::kvgen_cpu_barrier)},
      {"kvgen_cpu_barrier_vote", address(::kvgen_cpu_barrier_vote)},
      {"kvgen_cpu_shuffle", address(::kvgen_cpu_shuffle)},
      {"kvgen_cpu_ballot", address(::kvgen_cpu_ballot)},
      {"kvgen_cpu_wave_sync", address(::kvgen_cpu_wave_sync)},
      {"kvgen_cpu_wave_exec", address(::kvgen_cpu_wave_exec)},
      {"kvgen_cpu_last_active", address(::kvgen_cpu_last_active)},
      {"kvgen_cpu_printf", address(::kvgen_cpu_printf)},
      {"kvgen_cpu_trap", address(::kvgen_cpu_trap)},
      {"kvgen_cpu_assert_fail", address(::kvgen_cpu_assert_fail)},
      {"kvgen_cpu_clock", address(::kvgen_cpu_clock)},
  };
  std::sort(table.begin(), table.end());
  return table;
}

}  // namespace

void* import_address(std::string_view name) {
  static const Table table = make_table();
  const auto at =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const auto& entry, std::string_view key) { return entry.first < key; });
  return at != table.end() && at->first == name ? at->second : nullptr;
}

}  // namespace kvgen
