#pragma once

#include <cstddef>

#include "kvgen/model/candidate.h"
#include "kvgen/stage/generator.h"

namespace kvgen {

inline constexpr std::size_t kLargestReply = 16UL << 20;
inline constexpr std::size_t kLargestBlock = 1UL << 20;

// Finds the candidate in a reply: the last complete fenced block of device code
// (labelled hip, cpp, c++ or cuda, or holding __global__; one that holds it wins
// over one that does not) and the last complete json block with a "plan".
// Earlier blocks are drafts.
//
// Outcomes, all no_candidate: "truncated" when the reply ends inside such a
// block, "no hip block", "no json block with a plan", "larger than the limit".
// Time is linear in the reply.
Extracted extract(const Reply& reply);

}  // namespace kvgen
