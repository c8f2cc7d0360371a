#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kvgen/base/fd.h"
#include "kvgen/base/result.h"
#include "kvgen/model/outcome.h"
#include "kvgen/model/task.h"
#include "kvgen/model/verdict.h"
#include "kvgen/stage/awaitable.h"
#include "kvgen/stage/runner.h"

namespace kvgen {

struct CaseRequest {
  std::string variant;
  std::uint64_t seed = 0;
  std::string distribution;  // "recorded", "normal", "shifted", "scaled", "low_variance"
};

// Where a case's expected values are kept; known to the Referee that opened it.
struct CaseBinding {
  virtual ~CaseBinding() = default;
};

// A reference computed for one variant, seed and distribution: inputs to run
// on, expected values kept by the referee. May be used for many candidates.
// Should the referee die, it is opened anew from the same seed.
struct RefereeCase {
  CaseRequest request;
  ArenaRef inputs;
  std::int64_t reference_ns = 0;  // of one eager float32 run
  std::shared_ptr<CaseBinding> binding;
};

struct Judgement {
  CaseVerdict verdict;
  Outcome outcome;
};

class Referee {
 public:
  virtual ~Referee() = default;

  virtual Awaitable<Result<RefereeCase>> open_case(const Task& task, CaseRequest request) = 0;

  // Fresh poisoned outputs for one run of a candidate.
  virtual Awaitable<Result<ArenaRef>> new_outputs(const RefereeCase& opened,
                                                  std::uint64_t poison_seed) = 0;

  // Compares outputs (of the run's dead child) with the reference.
  virtual Awaitable<Result<Judgement>> judge(const RefereeCase& opened, const ArenaRef& outputs,
                                             std::uint64_t poison_seed) = 0;

  // Wall time of `runs` eager float32 runs on `cores` cores, in nanoseconds.
  virtual Awaitable<Result<std::int64_t>> time_reference(const RefereeCase& opened, int runs,
                                                         bool cold, int cores) = 0;

  // Marks of a task: "degenerate: zeros", ... Empty when all cheap answers fail.
  virtual Awaitable<Result<std::vector<std::string>>> admit(const Task& task,
                                                            std::uint64_t seed) = 0;

  // "libtorch 2.13.0"
  virtual std::string describe() const = 0;
};

}  // namespace kvgen
