#include <algorithm>

#include "kvgen/base/hash.h"
#include "kvgen/graph/cost.h"
#include "pipeline/proof.h"
#include "pipeline/seen.h"

namespace kvgen {
namespace {

// The largest variant that the budget allows: the one people care about.
const Variant& variant_to_time(const Task& task, const VerifyOptions& options) {
  const Variant* official = task.variant("official");
  if (official != nullptr) {
    const GraphCost cost = cost_of(official->graph);
    if (cost.minimal_bytes <= options.timed_bytes && cost.flops <= options.timed_flops) {
      return *official;
    }
  }
  const Variant* small = task.variant("small");
  return small != nullptr ? *small : task.variants.front();
}

bool judged_on(const Attempt& attempt, const std::string& variant) {
  const auto& cases = attempt.verdict->cases;
  return std::any_of(cases.begin(), cases.end(),
                     [&](const CaseVerdict& one) { return one.variant == variant; });
}

}  // namespace

Awaitable<Result<void>> Verifier::measure(Proof& proof) {
  const Variant& variant = variant_to_time(proof.cases.task(), options_);
  const CasePlan wanted{variant.name, "recorded", "forward", true};
  auto opened = co_await open(proof.cases, wanted);
  if (!opened.ok()) {
    if (opened.error().code() == Code::kFull) co_return ok();  // verified, but not timed here
    co_return std::move(opened).error();
  }
  const RefereeCase& reference = **opened;
  if (!judged_on(proof.attempt, variant.name)) {
    CO_TRY(const bool within, co_await judge_case(proof, wanted));
    if (!within) co_return ok();
  }
  CO_TRY(RunRequest request, proof.request_for(wanted, runner_.device()));
  if (proof.rejected) co_return ok();

  const std::uint64_t poison =
      seed_from("timing/" + std::to_string(reference.request.seed) + proof.attempt.candidate->hash);
  CO_TRY(request.outputs, co_await referee_.new_outputs(reference, poison));
  request.inputs = reference.inputs;
  request.poison_seed = poison;
  request.budget_ms = pipeline::budget_ms(reference);
  request.cores = options_.cores;
  CO_TRY(const std::unique_ptr<TimedRun> timed, co_await runner_.time(request));

  RunSeen seen = timed->first();
  // A plan buffer that survives a run could hold its result: one run a sample, each from
  // poisoned buffers.
  MeasurementOptions method = options_.measurement;
  if (!proof.plan.buffers.empty()) method.sample_ns = 1;
  Measurement measurement(method);
  while (seen.finished) {
    const auto step = measurement.next();
    if (!step) break;
    if (step->subject == Subject::kReference) {
      CO_TRY(const std::int64_t ns,
             co_await referee_.time_reference(reference, step->runs, step->cold, options_.cores));
      measurement.add(*step, static_cast<double>(ns));
    } else {
      CO_TRY(seen, co_await timed->sample(step->runs, step->cold));
      if (seen.finished) measurement.add(*step, static_cast<double>(seen.wall_ns));
    }
  }
  CO_TRY_VOID(co_await timed->close());
  if (!seen.finished) {
    proof.reject(pipeline::outcome_of(seen, variant.name));
    co_return ok();
  }
  CO_TRY(const Judgement judged, co_await referee_.judge(reference, request.outputs, poison));
  if (!judged.outcome.verified()) {
    Outcome outcome = judged.outcome;
    outcome.reason = "while it was timed: " + outcome.reason;
    outcome.detail["variant"] = variant.name;
    proof.reject(std::move(outcome));
    co_return ok();
  }
  Profile profile;
  profile.variant = variant.name;
  profile.device = runner_.device();
  profile.timed_on = runner_.machine();
  profile.source = "wall";
  profile.cache = options_.measurement.cold ? "cold" : "hot";
  profile.cores = options_.cores;
  profile.baseline = referee_.describe() + " eager, float32";
  measurement.fill(profile);
  if (options_.roofline) {
    const std::int64_t bytes = cost_of(variant.graph).minimal_bytes;
    flag_below_floor(profile, floor_ns(bytes, *options_.roofline, options_.cores));
  }
  proof.attempt.profile = std::move(profile);
  co_return ok();
}

}  // namespace kvgen
