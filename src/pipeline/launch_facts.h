#pragma once

#include "kvgen/model/build.h"
#include "kvgen/plan/resolved.h"

namespace kvgen::pipeline {

// Replaces the occupancy of each kernel by that of the launch which starts most threads, now that
// blocks and dynamic LDS are known. Kernels that are not launched keep theirs.
void take_launches(const ResolvedPlan& plan, Build& build);

}  // namespace kvgen::pipeline
