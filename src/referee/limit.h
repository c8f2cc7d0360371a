#pragma once

#include <cstdint>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/task.h"
#include "referee/expected.h"
#include "referee/program.h"

namespace kvgen::referee {

// The float64 results of a variant on these inputs, and how far from them a
// kernel in the recorded types may be.
//
// With g the float64 result and S the largest move from g over m runs with every
// step moved within its rounding (referee/noise.h), per element and at least the
// root mean square over its row:
//   limit = 2 S + 8 u |g| + smallest normal,   u and the last of the output's type.
// The moves follow textbook rounding errors of each step; a kernel may err by
// twice that. m depends on the work of a run alone, so a case has one limit.
//
// `eager`: libtorch's own outputs in the recorded types.
Result<std::vector<ExpectedOutput>> derive_expected(const Variant& variant,
                                                    const std::vector<at::Tensor>& inputs,
                                                    const std::vector<at::Tensor>& eager,
                                                    std::uint64_t draw_seed);

}  // namespace kvgen::referee
