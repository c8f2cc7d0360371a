#include "kvgen/plan/checked.h"

namespace kvgen {

Outcome bad_plan(const PlanFault& fault) {
  std::string reason = fault.place.empty() ? fault.message : fault.place + ": " + fault.message;
  if (!fault.suggestion.empty()) reason += "; did you mean \"" + fault.suggestion + "\"?";
  Json detail = {{"place", fault.place}, {"message", fault.message}};
  if (!fault.suggestion.empty()) detail["suggestion"] = fault.suggestion;
  return {OutcomeKind::kBadPlan, Stage::kPlan, std::move(reason), std::move(detail)};
}

}  // namespace kvgen
