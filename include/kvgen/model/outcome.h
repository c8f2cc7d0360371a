#pragma once

#include <string>
#include <string_view>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"

namespace kvgen {

// What became of a candidate. Data, never an Error.
enum class OutcomeKind {
  kNoCandidate,
  kBadPlan,
  kCompileError,
  kLaunchError,
  kCrash,
  kTimeout,
  kOutOfBounds,
  kDataRace,
  kBarrierDivergence,
  kUninitialisedRead,
  kUnwrittenOutput,
  kMutatedInput,
  kWrongOutput,
  kNondeterministic,
  kCheating,
  kVerified,
  kNotJudgedHere,  // neither good nor bad: this machine cannot say, reason tells why
};

std::string_view to_string(OutcomeKind kind);
Result<OutcomeKind> outcome_kind_from(std::string_view name);

// Where in the chain it was decided.
enum class Stage { kGenerate, kExtract, kPlan, kCompile, kRun, kJudge };
std::string_view to_string(Stage stage);

struct Outcome {
  OutcomeKind kind = OutcomeKind::kNotJudgedHere;
  Stage stage = Stage::kGenerate;
  std::string reason;            // one line a person and a model can act on
  Json detail = Json::object();  // structured: places, values, indices

  [[nodiscard]] bool verified() const { return kind == OutcomeKind::kVerified; }
};

Json to_json(const Outcome& outcome);
Result<Outcome> outcome_from(const Json& json, const std::string& where);

}  // namespace kvgen
