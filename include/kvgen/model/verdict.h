#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/model/outcome.h"

namespace kvgen {

// The policy that decided: tolerance, distributions, number of seeds. Raised
// whenever a verdict could change.
inline constexpr int kVerdictPolicy = 4;

// One comparison: a variant, a seed and a distribution of inputs.
struct CaseVerdict {
  std::string variant;
  std::string distribution;
  std::uint64_t seed = 0;
  bool within = false;
  double worst_ratio = 0;  // largest |error| / limit; 1 is the line
  double median_ratio = 0;
  double max_abs_error = 0;
  bool allclose_1e2 = false;  // rtol = atol = 1e-2 against float32 eager
  bool allclose_1e4 = false;
  std::string output_digest;  // SHA-256 of all outputs' bytes
};

// What the referee says of a candidate over all its cases.
struct Verdict {
  int policy = kVerdictPolicy;
  Outcome outcome;  // verified, or the first case that failed
  std::vector<CaseVerdict> cases;
  bool repeatable = true;
  std::string verified_on;  // "cpu"
};

Json to_json(const CaseVerdict& verdict);
Result<CaseVerdict> case_verdict_from(const Json& json, const std::string& where);
Json to_json(const Verdict& verdict);
Result<Verdict> verdict_from(const Json& json, const std::string& where);

}  // namespace kvgen
