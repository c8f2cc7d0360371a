#include "kvgen/model/verdict.h"

#include <cmath>
#include <limits>

namespace kvgen {
namespace {

double number_or_infinity(Fields& fields, std::string_view key) {
  const Json value = fields.get<Json>(key);
  if (value.is_number()) return value.get<double>();
  if (!value.is_null()) fields.fail(key, "must be a number or null");
  return std::numeric_limits<double>::infinity();
}

}  // namespace

Json to_json(const CaseVerdict& verdict) {
  return {{"variant", verdict.variant},
          {"distribution", verdict.distribution},
          {"seed", verdict.seed},
          {"within", verdict.within},
          {"worst_ratio", finite_or_null(verdict.worst_ratio)},
          {"median_ratio", finite_or_null(verdict.median_ratio)},
          {"max_abs_error", finite_or_null(verdict.max_abs_error)},
          {"allclose_1e2", verdict.allclose_1e2},
          {"allclose_1e4", verdict.allclose_1e4},
          {"output_digest", verdict.output_digest}};
}

Result<CaseVerdict> case_verdict_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  CaseVerdict verdict;
  verdict.variant = fields.get<std::string>("variant");
  verdict.distribution = fields.get<std::string>("distribution");
  verdict.seed = fields.get<std::uint64_t>("seed");
  verdict.within = fields.get<bool>("within");
  verdict.worst_ratio = number_or_infinity(fields, "worst_ratio");
  verdict.median_ratio = number_or_infinity(fields, "median_ratio");
  verdict.max_abs_error = number_or_infinity(fields, "max_abs_error");
  verdict.allclose_1e2 = fields.get<bool>("allclose_1e2");
  verdict.allclose_1e4 = fields.get<bool>("allclose_1e4");
  verdict.output_digest = fields.get<std::string>("output_digest");
  TRY_VOID(fields.finish());
  return verdict;
}

Json to_json(const Verdict& verdict) {
  Json cases = Json::array();
  for (const CaseVerdict& one : verdict.cases) cases.push_back(to_json(one));
  return {{"policy", verdict.policy},
          {"outcome", to_json(verdict.outcome)},
          {"cases", std::move(cases)},
          {"repeatable", verdict.repeatable},
          {"verified_on", verdict.verified_on}};
}

Result<Verdict> verdict_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Verdict verdict;
  verdict.policy = fields.get<int>("policy");
  const Json outcome = fields.get<Json>("outcome");
  const Json& cases = fields.array("cases");
  verdict.repeatable = fields.get<bool>("repeatable");
  verdict.verified_on = fields.get<std::string>("verified_on");
  TRY_VOID(fields.finish());
  TRY(verdict.outcome, outcome_from(outcome, where + ".outcome"));
  for (const Json& item : cases) {
    TRY(CaseVerdict one, case_verdict_from(item, where + ".cases"));
    verdict.cases.push_back(std::move(one));
  }
  return verdict;
}

}  // namespace kvgen
