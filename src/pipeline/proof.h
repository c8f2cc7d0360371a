#pragma once

#include <map>
#include <string>

#include "kvgen/pipeline/verifier.h"
#include "kvgen/plan/plan.h"

namespace kvgen {

// One comparison to make.
struct Verifier::CasePlan {
  std::string variant;
  std::string distribution;
  std::string schedule;
  bool required = false;
  int cores = 1;  // one order of blocks: what is recorded is the same twice
};

// A candidate on its way through the verifier.
struct Verifier::Proof {
  Cases& cases;
  Attempt& attempt;
  const Plan& plan;
  SharedFd object;                       // the device's
  std::map<std::string, Json> resolved;  // variant -> plan as numbers
  bool rejected = false;

  void reject(Outcome outcome);

  // The run of this candidate on a case's variant, without its arenas; rejects
  // the candidate when its plan does not resolve.
  Result<RunRequest> request_for(const CasePlan& wanted, const std::string& device);
};

}  // namespace kvgen
