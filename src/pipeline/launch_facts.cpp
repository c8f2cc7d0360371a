#include "pipeline/launch_facts.h"

#include <map>
#include <string>

#include "kvgen/plan/occupancy.h"

namespace kvgen::pipeline {
namespace {

double product(const std::int64_t (&sizes)[3]) {
  return static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]) *
         static_cast<double>(sizes[2]);
}

}  // namespace

void take_launches(const ResolvedPlan& plan, Build& build) {
  std::map<std::string, const ResolvedLaunch*> largest;
  for (const auto* steps : {&plan.prepare, &plan.run}) {
    for (const ResolvedStep& step : *steps) {
      const auto* launch = std::get_if<ResolvedLaunch>(&step.what);
      if (launch == nullptr) continue;
      const ResolvedLaunch*& kept = largest[launch->symbol];
      const double threads = product(launch->grid) * product(launch->block);
      if (kept == nullptr || threads > product(kept->grid) * product(kept->block)) kept = launch;
    }
  }
  for (KernelInfo& kernel : build.kernels) {
    const auto found = largest.find(kernel.symbol);
    if (found == largest.end() || !kernel.facts) continue;
    const ResolvedLaunch& launch = *found->second;
    kernel.facts->occupancy = occupancy_of(
        build.target, *kernel.facts, static_cast<int>(product(launch.block)), launch.dynamic_lds);
  }
}

}  // namespace kvgen::pipeline
