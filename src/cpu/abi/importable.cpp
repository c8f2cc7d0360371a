#include "kvgen/cpu/importable.h"

#include <algorithm>

#include "kvgen/cpu/abi.h"

namespace kvgen {

const std::vector<std::string_view>& importable_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list = {
#define KVGEN_ONE(name) #name,
#define KVGEN_BOTH(name) #name, #name "f",
        KVGEN_CPU_IMPORTED_MEMORY(KVGEN_ONE) KVGEN_CPU_IMPORTED_MATH1(KVGEN_BOTH)
            KVGEN_CPU_IMPORTED_MATH2(KVGEN_BOTH) KVGEN_CPU_IMPORTED_MATH_OTHER(KVGEN_BOTH)
                KVGEN_CPU_IMPORTED_BUILTINS(KVGEN_ONE)
#undef KVGEN_ONE
#undef KVGEN_BOTH
                    "kvgen_cpu_dynamic_lds",
        "kvgen_cpu_barrier",
        "kvgen_cpu_barrier_vote",
        "kvgen_cpu_shuffle",
        "kvgen_cpu_ballot",
        "kvgen_cpu_wave_sync",
        "kvgen_cpu_wave_exec",
        "kvgen_cpu_last_active",
        "kvgen_cpu_printf",
        "kvgen_cpu_trap",
        "kvgen_cpu_assert_fail",
        "kvgen_cpu_clock"};
    std::sort(list.begin(), list.end());
    return list;
  }();
  return names;
}

bool importable(std::string_view name) {
  return std::binary_search(importable_names().begin(), importable_names().end(), name);
}

}  // namespace kvgen
