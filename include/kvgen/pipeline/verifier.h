#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/attempt.h"
#include "kvgen/model/task.h"
#include "kvgen/pipeline/prover.h"
#include "kvgen/profile/measurement.h"
#include "kvgen/profile/roofline.h"
#include "kvgen/stage/compiler.h"
#include "kvgen/stage/referee.h"
#include "kvgen/stage/runner.h"
#include "kvgen/stage/semaphore.h"

namespace kvgen {

struct VerifyOptions {
  std::vector<std::string> archs = {"gfx942", "gfx90a"};  // each must accept the candidate
  std::uint64_t seed = 0;                                 // all seeds of a run derive from it
  std::map<std::string, std::uint64_t> case_seeds;        // "tiny/normal" -> its seed, if known
  int cores = 0;                           // of the cpu device and its baseline; 0: all
  bool profile = true;                     // time what was verified
  std::int64_t timed_bytes = 128LL << 20;  // the official variant is timed below this
  std::int64_t timed_flops = 2'000'000'000;
  MeasurementOptions measurement;
  std::optional<Roofline> roofline;  // a time below it is flagged
};

// One task's references, opened once and used for every candidate.
class Cases {
 public:
  explicit Cases(const Task& task) : task_(task) {}
  [[nodiscard]] const Task& task() const { return task_; }

 private:
  friend class Verifier;
  const Task& task_;
  std::map<std::string, RefereeCase> opened_;
  std::map<std::string, std::string> inadmissible_;  // distribution -> why
};

// Proves a candidate: plan, builds for the device and every architecture, runs
// judged on several variants and distributions, time.
class Verifier : public Prover {
 public:
  // `machine` has as many permits as proofs may go on at once; timing takes all.
  Verifier(Compiler& compiler, Runner& runner, Referee& referee, Semaphore& machine,
           VerifyOptions options);

  Awaitable<Result<void>> prove(Cases& cases, Attempt& attempt) override;

  [[nodiscard]] const VerifyOptions& options() const { return options_; }

 private:
  struct Proof;
  struct CasePlan;
  Awaitable<Result<void>> build_all(Proof& proof);
  Awaitable<Result<const RefereeCase*>> open(Cases& cases, const CasePlan& wanted);
  Awaitable<Result<void>> judge_all(Proof& proof);
  Awaitable<Result<void>> repeat_last(Proof& proof);
  Awaitable<Result<bool>> judge_case(Proof& proof, const CasePlan& wanted);
  Awaitable<Result<void>> measure(Proof& proof);

  Compiler& compiler_;
  Runner& runner_;
  Referee& referee_;
  Semaphore& machine_;
  VerifyOptions options_;
};

}  // namespace kvgen
