#include "pipeline/proof.h"

#include "kvgen/plan/resolve.h"

namespace kvgen {

void Verifier::Proof::reject(Outcome outcome) {
  rejected = true;
  if (attempt.verdict) attempt.verdict->outcome = outcome;
  attempt.outcome = std::move(outcome);
}

Result<RunRequest> Verifier::Proof::request_for(const CasePlan& wanted, const std::string& device) {
  auto known = resolved.find(wanted.variant);
  if (known == resolved.end()) {
    const Variant* variant = cases.task().variant(wanted.variant);
    if (variant == nullptr) {
      return Error(Code::kInternal, "the task has no variant " + wanted.variant);
    }
    auto numbers = resolve(plan, *variant, attempt.builds.front(), limits_of(device));
    if (!numbers.ok()) {
      Outcome outcome = numbers.outcome();
      outcome.detail["variant"] = wanted.variant;
      reject(std::move(outcome));
      return RunRequest{};
    }
    known = resolved.emplace(wanted.variant, to_json(*numbers)).first;
  }
  RunRequest request;
  request.object = object;
  request.plan = known->second;
  return request;
}

}  // namespace kvgen
