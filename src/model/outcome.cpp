#include "kvgen/model/outcome.h"

#include <array>
#include <utility>

namespace kvgen {
namespace {

constexpr std::array<std::pair<OutcomeKind, std::string_view>, 17> kKinds = {{
    {OutcomeKind::kNoCandidate, "no_candidate"},
    {OutcomeKind::kBadPlan, "bad_plan"},
    {OutcomeKind::kCompileError, "compile_error"},
    {OutcomeKind::kLaunchError, "launch_error"},
    {OutcomeKind::kCrash, "crash"},
    {OutcomeKind::kTimeout, "timeout"},
    {OutcomeKind::kOutOfBounds, "out_of_bounds"},
    {OutcomeKind::kDataRace, "data_race"},
    {OutcomeKind::kBarrierDivergence, "barrier_divergence"},
    {OutcomeKind::kUninitialisedRead, "uninitialised_read"},
    {OutcomeKind::kUnwrittenOutput, "unwritten_output"},
    {OutcomeKind::kMutatedInput, "mutated_input"},
    {OutcomeKind::kWrongOutput, "wrong_output"},
    {OutcomeKind::kNondeterministic, "nondeterministic"},
    {OutcomeKind::kCheating, "cheating"},
    {OutcomeKind::kVerified, "verified"},
    {OutcomeKind::kNotJudgedHere, "not_judged_here"},
}};

constexpr std::array<std::pair<Stage, std::string_view>, 6> kStages = {{
    {Stage::kGenerate, "generate"},
    {Stage::kExtract, "extract"},
    {Stage::kPlan, "plan"},
    {Stage::kCompile, "compile"},
    {Stage::kRun, "run"},
    {Stage::kJudge, "judge"},
}};

template <class Table, class Value>
std::string_view name_of(const Table& table, Value value) {
  for (const auto& [entry, name] : table) {
    if (entry == value) return name;
  }
  return table.back().second;
}

}  // namespace

std::string_view to_string(OutcomeKind kind) { return name_of(kKinds, kind); }
std::string_view to_string(Stage stage) { return name_of(kStages, stage); }

Result<OutcomeKind> outcome_kind_from(std::string_view name) {
  for (const auto& [kind, text] : kKinds) {
    if (text == name) return kind;
  }
  return Error(Code::kInvalid, "unknown outcome \"" + std::string(name) + "\"");
}

Json to_json(const Outcome& outcome) {
  const Json detail = outcome.detail.is_null() ? Json::object() : outcome.detail;
  return {{"kind", to_string(outcome.kind)},
          {"stage", to_string(outcome.stage)},
          {"reason", outcome.reason},
          {"detail", detail}};
}

Result<Outcome> outcome_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  const auto kind = fields.get<std::string>("kind");
  const auto stage = fields.get<std::string>("stage");
  Outcome outcome;
  outcome.reason = fields.get<std::string>("reason");
  outcome.detail = fields.get_or<Json>("detail", Json::object());
  TRY_VOID(fields.finish());
  TRY(outcome.kind, outcome_kind_from(kind));
  for (const auto& [value, text] : kStages) {
    if (text == stage) outcome.stage = value;
  }
  if (to_string(outcome.stage) != stage) {
    return Error(Code::kInvalid, where + ".stage is unknown: " + stage);
  }
  return outcome;
}

}  // namespace kvgen
