#include "pipeline/seen.h"

#include <algorithm>

namespace kvgen::pipeline {
namespace {

constexpr std::int64_t kBase = 5'000;
constexpr std::int64_t kMost = 60'000;
// The cpu device's fibers may be that much slower than eager.
constexpr std::int64_t kTimesSlower = 500;

}  // namespace

std::int64_t budget_ms(const RefereeCase& opened) {
  return std::min(kMost, kBase + opened.reference_ns * kTimesSlower / 1'000'000);
}

Outcome outcome_of(const RunSeen& seen, const std::string& variant) {
  // The runner's words are the outcomes' names.
  auto kind = outcome_kind_from(seen.status);
  Outcome outcome{kind.ok() ? *kind : OutcomeKind::kCrash, Stage::kRun, seen.reason, seen.detail};
  outcome.detail["variant"] = variant;
  if (!seen.printed.empty()) outcome.detail["printed"] = seen.printed;
  return outcome;
}

}  // namespace kvgen::pipeline
