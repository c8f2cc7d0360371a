#include "kvgen/pipeline/verifier.h"

#include <algorithm>

#include "kvgen/base/hash.h"
#include "kvgen/plan/plan.h"
#include "kvgen/plan/resolve.h"
#include "kvgen/stage/all_of.h"
#include "pipeline/gate.h"
#include "pipeline/launch_facts.h"
#include "pipeline/proof.h"
#include "pipeline/seen.h"

namespace kvgen {
namespace {

// The cases that decide, cheapest first: policy 4. Each runs in another order
// of blocks and lanes, since a missing barrier may hide in one of them. Odd sizes
// have no common factor with a tile or a vector: a kernel for multiples only fails.
struct PolicyRow {
  const char* variant;
  const char* instead;  // of a variant that the task lacks
  const char* distribution;
  const char* schedule;
  bool required;  // a task must offer it
};
constexpr PolicyRow kPolicy[] = {
    {"tiny", "tiny", "recorded", "forward", false},
    {"tiny", "tiny", "normal", "reverse", false},
    {"tiny_odd", "tiny", "low_variance", "random", false},
    {"tiny", "tiny", "scaled", "forward", false},
    {"tiny", "tiny", "coarse", "reverse", false},
    {"small", "small", "recorded", "random", true},
    {"odd", "small", "shifted", "reverse", false},
};

Outcome rejected(OutcomeKind kind, Stage stage, std::string reason, Json detail) {
  return {kind, stage, std::move(reason), std::move(detail)};
}

}  // namespace

Verifier::Verifier(Compiler& compiler, Runner& runner, Referee& referee, Semaphore& machine,
                   VerifyOptions options)
    : compiler_(compiler),
      runner_(runner),
      referee_(referee),
      machine_(machine),
      options_(std::move(options)) {}

Awaitable<Result<void>> Verifier::prove(Cases& cases, Attempt& attempt) {
  Semaphore::Permit permit = co_await machine_.acquire();
  Checked<Plan> plan = parse_plan(attempt.candidate->plan_text);
  if (!plan.ok()) {
    attempt.outcome = plan.outcome();
    co_return ok();
  }
  attempt.normalised_plan = plan->normalised;
  auto& remarks = attempt.candidate->remarks;
  remarks.insert(remarks.end(), plan->remarks.begin(), plan->remarks.end());

  Proof proof{cases, attempt, *plan, nullptr, {}, {}};
  const Variant& first = cases.task().variants.front();
  if (auto outcome = check_names(*plan, first)) {
    attempt.outcome = std::move(*outcome);
    co_return ok();
  }
  CO_TRY_VOID(co_await build_all(proof));
  if (proof.rejected) co_return ok();
  for (std::string& literal : literals_of_today(*plan, first)) {
    remarks.push_back(std::move(literal));
  }
  CO_TRY_VOID(co_await judge_all(proof));
  permit.release();
  if (attempt.outcome.verified() && options_.profile) {
    const Semaphore::Permit alone = co_await machine_.acquire(machine_.total());
    CO_TRY_VOID(co_await measure(proof));
  }
  co_return ok();
}

Awaitable<Result<void>> Verifier::build_all(Proof& proof) {
  std::vector<std::string> targets = {runner_.device()};
  targets.insert(targets.end(), options_.archs.begin(), options_.archs.end());
  const std::vector<std::string> kernels = kernels_of(proof.plan);
  Attempt& attempt = proof.attempt;
  std::vector<std::optional<Result<Compiled>>> built(targets.size());
  co_await all_of(
      targets.size(), static_cast<int>(targets.size()), [&](std::size_t i) -> Awaitable<void> {
        built[i] = co_await compiler_.build({attempt.candidate->source, targets[i], kernels});
      });
  for (auto& one : built) {
    CO_TRY(Compiled compiled, std::move(*one));
    if (attempt.builds.empty()) proof.object = compiled.object;
    attempt.builds.push_back(std::move(compiled.build));
    if (compiled.second) attempt.builds.push_back(std::move(*compiled.second));
  }
  if (auto outcome = pipeline::gate(attempt.builds)) {
    proof.reject(std::move(*outcome));
    co_return ok();
  }
  for (const Build& build : attempt.builds) {
    if (!build.usable()) continue;
    if (auto outcome = check_signatures(proof.plan, proof.cases.task().variants.front(), build)) {
      proof.reject(std::move(*outcome));
      co_return ok();
    }
  }
  // What an architecture's LDS cannot hold is known before anything runs.
  for (std::size_t i = 1; i < attempt.builds.size(); ++i) {
    Build& build = attempt.builds[i];
    if (!build.usable()) continue;
    const Variant& variant = proof.cases.task().variants.front();
    auto resolved = resolve(proof.plan, variant, build, limits_of(build.target));
    if (resolved.ok()) {
      pipeline::take_launches(*resolved, build);
      continue;
    }
    if (resolved.outcome().kind == OutcomeKind::kNotJudgedHere) {
      attempt.candidate->remarks.push_back(resolved.outcome().reason);
    } else {
      proof.reject(resolved.outcome());
      co_return ok();
    }
  }
  co_return ok();
}

Awaitable<Result<const RefereeCase*>> Verifier::open(Cases& cases, const CasePlan& wanted) {
  const std::string key = wanted.variant + "/" + wanted.distribution;
  const auto known = cases.opened_.find(key);
  if (known != cases.opened_.end()) co_return &known->second;
  if (cases.inadmissible_.contains(key)) co_return nullptr;
  const auto given = options_.case_seeds.find(key);
  const std::uint64_t seed =
      given != options_.case_seeds.end()
          ? given->second
          : seed_from(std::to_string(options_.seed) + "/" + cases.task_.hash + "/" + key);
  auto opened = co_await referee_.open_case(
      cases.task_, {wanted.variant, seed & 0x7fffffffffffffffULL, wanted.distribution});
  if (!opened.ok()) {
    if (opened.error().code() != Code::kInvalid || wanted.required) {
      co_return std::move(opened).error();
    }
    cases.inadmissible_[key] = opened.error().message();
    co_return nullptr;
  }
  const auto [at, inserted] = cases.opened_.emplace(key, std::move(opened).value());
  co_return &at->second;
}

Awaitable<Result<void>> Verifier::judge_all(Proof& proof) {
  Verdict verdict;
  verdict.verified_on = runner_.device();
  verdict.outcome = {OutcomeKind::kVerified, Stage::kJudge, "every case is within the limit",
                     Json::object()};
  proof.attempt.verdict = std::move(verdict);
  for (const PolicyRow& row : kPolicy) {
    const Task& task = proof.cases.task();
    const char* variant = task.variant(row.variant) != nullptr ? row.variant : row.instead;
    if (task.variant(variant) == nullptr) continue;
    const CasePlan wanted{variant, row.distribution, row.schedule, row.required};
    auto within = co_await judge_case(proof, wanted);
    if (!within.ok()) {
      if (within.error().code() != Code::kFull) co_return std::move(within).error();
      proof.reject(rejected(
          OutcomeKind::kNotJudgedHere, Stage::kJudge,
          std::string("the reference is too large for this machine: ") + within.error().message(),
          {}));
      co_return ok();
    }
    if (!*within) co_return ok();
  }
  if (proof.attempt.verdict->cases.empty()) {
    proof.reject(rejected(OutcomeKind::kNotJudgedHere, Stage::kJudge,
                          "the task has no variant that this machine can run", {}));
    co_return ok();
  }
  CO_TRY_VOID(co_await repeat_last(proof));
  if (!proof.rejected) proof.attempt.outcome = proof.attempt.verdict->outcome;
  co_return ok();
}

Awaitable<Result<void>> Verifier::repeat_last(Proof& proof) {
  Verdict& verdict = *proof.attempt.verdict;
  const CaseVerdict before = verdict.cases.back();
  const auto& kernels = proof.attempt.builds.front().kernels;
  const bool explained = std::any_of(kernels.begin(), kernels.end(),
                                     [](const KernelInfo& k) { return k.float_atomics; });
  // Another order on one core, then blocks side by side on all of them.
  for (const int cores : {1, options_.cores}) {
    const CasePlan again{before.variant, before.distribution, "forward", true, cores};
    CO_TRY(const bool within, co_await judge_case(proof, again));
    if (!within) {
      Outcome outcome = proof.attempt.outcome;
      if (outcome.kind == OutcomeKind::kWrongOutput) outcome.kind = OutcomeKind::kNondeterministic;
      outcome.reason = "right in one order of blocks and lanes, in another: " + outcome.reason;
      proof.reject(std::move(outcome));
      co_return ok();
    }
    const std::string digest = std::move(verdict.cases.back().output_digest);
    verdict.cases.pop_back();
    if (digest == before.output_digest) continue;
    if (cores == 1) verdict.repeatable = false;
    if (explained) continue;
    verdict.repeatable = false;
    proof.reject(
        rejected(OutcomeKind::kNondeterministic, Stage::kJudge,
                 "the same inputs gave other outputs when blocks and lanes ran in another order, "
                 "and no floating-point atomics explain it: a barrier may be missing",
                 {{"variant", before.variant}, {"distribution", before.distribution}}));
    co_return ok();
  }
  co_return ok();
}

Awaitable<Result<bool>> Verifier::judge_case(Proof& proof, const CasePlan& wanted) {
  CO_TRY(const RefereeCase* opened, co_await open(proof.cases, wanted));
  if (opened == nullptr) co_return true;
  CO_TRY(RunRequest request, proof.request_for(wanted, runner_.device()));
  if (proof.rejected) co_return false;

  const std::uint64_t poison = seed_from("poison/" + std::to_string(opened->request.seed) + "/" +
                                         proof.attempt.candidate->hash + "/" + wanted.schedule);
  CO_TRY(request.outputs, co_await referee_.new_outputs(*opened, poison));
  request.inputs = opened->inputs;
  request.poison_seed = poison;
  request.budget_ms = pipeline::budget_ms(*opened);
  request.cores = wanted.cores;
  request.schedule = wanted.schedule;
  CO_TRY(const RunSeen seen, co_await runner_.run(request));
  if (!seen.finished) {
    proof.reject(pipeline::outcome_of(seen, wanted.variant));
    co_return false;
  }
  CO_TRY(Judgement judged, co_await referee_.judge(*opened, request.outputs, poison));
  judged.verdict.variant = wanted.variant;
  judged.verdict.distribution = wanted.distribution;
  judged.verdict.seed = opened->request.seed;
  proof.attempt.verdict->cases.push_back(std::move(judged.verdict));
  if (judged.outcome.verified()) co_return true;
  judged.outcome.detail["variant"] = wanted.variant;
  judged.outcome.detail["distribution"] = wanted.distribution;
  proof.reject(std::move(judged.outcome));
  co_return false;
}

}  // namespace kvgen
