#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kvgen/model/build.h"
#include "kvgen/model/task.h"
#include "kvgen/plan/checked.h"
#include "kvgen/plan/plan.h"
#include "kvgen/plan/resolved.h"

namespace kvgen {

// What a plan may count on where it is to run.
struct DeviceLimits {
  std::string target = "cpu";             // for messages
  std::int64_t lds_bytes = 64 << 10;      // of a workgroup; `device.lds`
  std::int64_t buffer_bytes = 1LL << 30;  // of all plan buffers together
  int wave = 64;                          // `wave`
  int cus = 1;                            // `device.cus`
};

// LDS, wave size and compute units of a target: "gfx950", "gfx942", "cpu".
DeviceLimits limits_of(std::string_view target);

// Checks a plan against a task's names: unknown names, clashes, cycles, kinds of
// expressions, what may be written and read by whom. None: it passed.
std::optional<Outcome> check_names(const Plan& plan, const Variant& variant);

// Checks every launch, also those whose `when` is zero, against the kernels'
// signatures. The plan has passed check_names.
std::optional<Outcome> check_signatures(const Plan& plan, const Variant& variant,
                                        const Build& build);

// Computes every number of a plan for one variant, after both checks.
// Outcomes: bad_plan; not_judged_here ("not for gfx942: ...") when a kernel needs
// more LDS than this target has but another has it.
Checked<ResolvedPlan> resolve(const Plan& plan, const Variant& variant, const Build& build,
                              const DeviceLimits& limits);

// Numbers of the plan that are sizes of this variant's tensors, for people and
// the next prompt: "run[0].args[2]: 1000 is dim(x, 1) of this variant".
std::vector<std::string> literals_of_today(const Plan& plan, const Variant& variant);

}  // namespace kvgen
