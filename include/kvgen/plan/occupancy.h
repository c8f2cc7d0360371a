#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kvgen/model/build.h"

namespace kvgen {

// Waves that a SIMD can hold at once of one kernel, launched with work-groups of `threads` and
// `dynamic_lds` bytes beside its static LDS. None for an architecture that is not in the table
// ("cpu"), or a wave size other than its own.
//
// The least of: the hardware's waves; VGPRs, in granules, per lane; SGPRs (gfx9); LDS, in
// granules, of the groups that a compute unit (a work-group processor on RDNA) holds; 16 groups of
// more than one wave a compute unit. It agrees with what LLVM's kernel-resource-usage remark says
// (tests/plan/cases/occupancy.txt), which is a model, not a measurement.
std::optional<Occupancy> occupancy_of(std::string_view arch, const KernelFacts& facts, int threads,
                                      std::int64_t dynamic_lds);

}  // namespace kvgen
