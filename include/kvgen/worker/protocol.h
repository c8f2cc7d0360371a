#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/model/build.h"
#include "kvgen/model/outcome.h"
#include "kvgen/model/task.h"
#include "kvgen/model/verdict.h"
#include "kvgen/worker/arena.h"

// What is asked of workers, and their answers. Descriptors are named beside each
// message in the order they travel. Every struct has to_json and NAME_from.

namespace kvgen {

// ---- compilers: op "compile" -------------------------------------------------
struct CompileCall {
  std::string source;                // the hip block
  std::string target;                // "cpu", "gfx942", "gfx90a"
  std::vector<std::string> kernels;  // name expressions of the plan: "scan<float, 4>"
};
struct CompileAnswer {  // fds: [object], none when build.failure
  Build build;          // without device_source where the text was not changed
};

// ---- runner: op "run" ----------------------------------------------------------
// fds: [object, inputs arena (frozen), outputs arena]
struct RunCall {
  Json plan;                         // plan/resolve.h: numbers only
  ArenaLayout inputs;                // inputs, parameters, buffers, constants
  ArenaLayout outputs;               // outputs and NAME.out
  std::uint64_t poison_seed = 0;     // for plan buffers and LDS
  std::int64_t budget_ms = 10'000;   // the child is killed past it
  int cores = 0;                     // 0: all
  std::string schedule = "forward";  // order of blocks and lanes: forward, reverse, random
};

// What the runner saw; it never knows whether values are right.
struct RunReport {
  enum class Status {
    kFinished,
    kLaunchError,
    kCrash,
    kTimeout,
    kOutOfBounds,
    kMutatedInput,
    kBarrierDivergence
  };
  Status status = Status::kFinished;
  std::string reason;  // one line: "read 4 bytes past the end of x (kernel f, block 3)"
  Json detail = Json::object();
  std::string printed;       // printf of the kernels, at most 64 KB
  std::int64_t wall_ns = 0;  // of the plan's run steps, by the parent's clock
};

// ---- runner: ops "time_open" (as "run", fds too), "time_sample", "time_close" ----
// One session at a time a worker. time_open runs the plan once and answers a RunReport.
struct TimeSampleCall {
  int runs = 1;       // of the whole plan, one after another
  bool cold = false;  // flush caches before each run
};
struct TimeSampleAnswer {
  RunReport report;  // wall_ns: of all runs together, by the parent's clock
};

// ---- referee ------------------------------------------------------------------
// op "open_case": body OpenCaseCall; answer OpenCaseAnswer, fds: [inputs arena]
struct OpenCaseCall {
  Task task;
  std::string variant;
  std::uint64_t seed = 0;
  std::string distribution;  // "recorded", "normal", "shifted", "scaled", "low_variance"
};
struct OpenCaseAnswer {
  std::string case_id;  // kept by this worker until it needs the room (then kNotFound)
  ArenaLayout inputs;
  std::int64_t reference_ns = 0;  // of one eager float32 run
};
// op "new_outputs": {"case_id", "poison_seed"}; answer {"layout"}, fds: [outputs arena],
// poisoned, NAME.out a copy of NAME.
struct NewOutputsCall {
  std::string case_id;
  std::uint64_t poison_seed = 0;
};
struct NewOutputsAnswer {
  ArenaLayout outputs;
};
// op "judge": body JudgeCall, fds: [outputs arena]; answer JudgeAnswer
struct JudgeCall {
  std::string case_id;
  std::uint64_t poison_seed = 0;
  ArenaLayout outputs;
};
struct JudgeAnswer {
  CaseVerdict verdict;
  Outcome
      outcome;  // verified, wrong_output, unwritten_output, out_of_bounds (a guard), mutated_input
};
// op "time_reference": body TimeReferenceCall; answer {"wall_ns": of all runs together}
struct TimeReferenceCall {
  std::string case_id;
  int runs = 1;
  bool cold = false;
  int cores = 0;
};
// op "admit": {"task", "seed"}; answer {"marks": [...], "reference_ns": {variant: ns}}
struct AdmitCall {
  Task task;
  std::uint64_t seed = 0;
};
struct AdmitAnswer {
  std::vector<std::string> marks;
};

#define KVGEN_WIRE(Type, from)     \
  Json to_json(const Type& value); \
  Result<Type> from(const Json& json);
KVGEN_WIRE(CompileCall, compile_call_from)
KVGEN_WIRE(CompileAnswer, compile_answer_from)
KVGEN_WIRE(RunCall, run_call_from)
KVGEN_WIRE(RunReport, run_report_from)
KVGEN_WIRE(TimeSampleCall, time_sample_call_from)
KVGEN_WIRE(TimeSampleAnswer, time_sample_answer_from)
KVGEN_WIRE(OpenCaseCall, open_case_call_from)
KVGEN_WIRE(OpenCaseAnswer, open_case_answer_from)
KVGEN_WIRE(NewOutputsCall, new_outputs_call_from)
KVGEN_WIRE(NewOutputsAnswer, new_outputs_answer_from)
KVGEN_WIRE(JudgeCall, judge_call_from)
KVGEN_WIRE(JudgeAnswer, judge_answer_from)
KVGEN_WIRE(TimeReferenceCall, time_reference_call_from)
KVGEN_WIRE(AdmitCall, admit_call_from)
KVGEN_WIRE(AdmitAnswer, admit_answer_from)
#undef KVGEN_WIRE

std::string_view to_string(RunReport::Status status);

}  // namespace kvgen
