#pragma once

#include "kvgen/base/result.h"
#include "kvgen/model/attempt.h"
#include "kvgen/stage/awaitable.h"

namespace kvgen {

class Cases;

// Says what a candidate is worth.
class Prover {
 public:
  virtual ~Prover() = default;

  // Fills the attempt's plan, builds, verdict, profile and outcome from its
  // candidate. An Error says that the machine could not judge.
  virtual Awaitable<Result<void>> prove(Cases& cases, Attempt& attempt) = 0;
};

}  // namespace kvgen
