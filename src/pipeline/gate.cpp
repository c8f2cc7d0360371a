#include "pipeline/gate.h"

namespace kvgen::pipeline {

std::optional<Outcome> gate(const std::vector<Build>& builds) {
  // A rejection anywhere outranks "cannot be judged here".
  for (const Build& build : builds) {
    if (!build.failure || build.failure->kind == OutcomeKind::kNotJudgedHere) continue;
    if (build.gate_unavailable) continue;
    Outcome outcome = *build.failure;
    outcome.detail["target"] = build.target;
    return outcome;
  }
  const Build& first = builds.front();
  for (const Build& build : builds) {
    if (build.gate_unavailable || build.tokens_hash == first.tokens_hash) continue;
    return Outcome{OutcomeKind::kCheating,
                   Stage::kCompile,
                   "the text differs between targets after preprocessing: " + first.target +
                       " and " + build.target + " would not run the same kernel",
                   {{"targets", {first.target, build.target}}}};
  }
  for (const Build& build : builds) {
    if (build.failure && !build.gate_unavailable) return build.failure;
  }
  return std::nullopt;
}

}  // namespace kvgen::pipeline
