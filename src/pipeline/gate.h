#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kvgen/model/build.h"
#include "kvgen/model/outcome.h"

namespace kvgen::pipeline {

// What the builds of one candidate for several targets say together. None: it
// may run. The first build is the device's.
//
// A target that rejects the source rejects the candidate, whichever device runs
// it, unless that compiler's word does not count (`gate_unavailable`:
// kvgen/pipeline/gate_compiler.h says when); tokens that differ between targets are `cheating`,
// since what was verified would not be what is shipped.
std::optional<Outcome> gate(const std::vector<Build>& builds);

}  // namespace kvgen::pipeline
