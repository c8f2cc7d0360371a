#pragma once

#include <cstdint>

#include "kvgen/worker/arena.h"
#include "kvgen/worker/protocol.h"
#include "referee/reference.h"

namespace kvgen::referee {

// Judges outputs that were poisoned from `poison_seed`: guards first, then every
// element. Fills all of the verdict but variant, distribution and seed.
JudgeAnswer judge(const Reference& reference, const Arena& outputs, std::uint64_t poison_seed);

}  // namespace kvgen::referee
