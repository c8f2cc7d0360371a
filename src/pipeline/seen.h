#pragma once

#include <cstdint>
#include <string>

#include "kvgen/model/outcome.h"
#include "kvgen/stage/referee.h"
#include "kvgen/stage/runner.h"

namespace kvgen::pipeline {

// How long a candidate may run on a case, from what eager took.
std::int64_t budget_ms(const RefereeCase& opened);

// The candidate's outcome for a run on a variant that did not finish.
Outcome outcome_of(const RunSeen& seen, const std::string& variant);

}  // namespace kvgen::pipeline
