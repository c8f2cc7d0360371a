#include "kvgen/worker/protocol.h"

#include <array>
#include <utility>

namespace kvgen {
namespace {

using Status = RunReport::Status;
constexpr std::array<std::pair<Status, std::string_view>, 7> kStatuses = {{
    {Status::kFinished, "finished"},
    {Status::kLaunchError, "launch_error"},
    {Status::kCrash, "crash"},
    {Status::kTimeout, "timeout"},
    {Status::kOutOfBounds, "out_of_bounds"},
    {Status::kMutatedInput, "mutated_input"},
    {Status::kBarrierDivergence, "barrier_divergence"},
}};

}  // namespace

std::string_view to_string(Status status) {
  for (const auto& [value, name] : kStatuses) {
    if (value == status) return name;
  }
  return "crash";
}

Json to_json(const CompileCall& call) {
  return {{"source", call.source}, {"target", call.target}, {"kernels", call.kernels}};
}

Result<CompileCall> compile_call_from(const Json& json) {
  Fields fields(json, "compile");
  CompileCall call;
  call.source = fields.get<std::string>("source");
  call.target = fields.get<std::string>("target");
  call.kernels = fields.get<std::vector<std::string>>("kernels");
  TRY_VOID(fields.finish());
  return call;
}

Json to_json(const CompileAnswer& answer) { return {{"build", to_json(answer.build)}}; }

Result<CompileAnswer> compile_answer_from(const Json& json) {
  Fields fields(json, "compile answer");
  const Json build = fields.get<Json>("build");
  TRY_VOID(fields.finish());
  CompileAnswer answer;
  TRY(answer.build, build_from(build, "build"));
  return answer;
}

Json to_json(const RunCall& call) {
  return {{"plan", call.plan},
          {"inputs", to_json(call.inputs)},
          {"outputs", to_json(call.outputs)},
          {"poison_seed", call.poison_seed},
          {"budget_ms", call.budget_ms},
          {"cores", call.cores},
          {"schedule", call.schedule}};
}

Result<RunCall> run_call_from(const Json& json) {
  Fields fields(json, "run");
  RunCall call;
  call.plan = fields.get<Json>("plan");
  const Json& inputs = fields.object("inputs");
  const Json& outputs = fields.object("outputs");
  call.poison_seed = fields.get<std::uint64_t>("poison_seed");
  call.budget_ms = fields.get<std::int64_t>("budget_ms");
  call.cores = fields.get<int>("cores");
  call.schedule = fields.get<std::string>("schedule");
  TRY_VOID(fields.finish());
  TRY(call.inputs, arena_layout_from(inputs, "run.inputs"));
  TRY(call.outputs, arena_layout_from(outputs, "run.outputs"));
  return call;
}

Json to_json(const RunReport& report) {
  return {{"status", to_string(report.status)},
          {"reason", report.reason},
          {"detail", report.detail},
          {"printed", report.printed},
          {"wall_ns", report.wall_ns}};
}

Result<RunReport> run_report_from(const Json& json) {
  Fields fields(json, "run report");
  RunReport report;
  const auto status = fields.get<std::string>("status");
  report.reason = fields.get<std::string>("reason");
  report.detail = fields.get<Json>("detail");
  report.printed = fields.get<std::string>("printed");
  report.wall_ns = fields.get<std::int64_t>("wall_ns");
  TRY_VOID(fields.finish());
  for (const auto& [value, name] : kStatuses) {
    if (name != status) continue;
    report.status = value;
    return report;
  }
  return Error(Code::kInvalid, "run report: unknown status " + status);
}

Json to_json(const TimeSampleCall& call) { return {{"runs", call.runs}, {"cold", call.cold}}; }

Result<TimeSampleCall> time_sample_call_from(const Json& json) {
  Fields fields(json, "time_sample");
  TimeSampleCall call;
  call.runs = fields.get<int>("runs");
  call.cold = fields.get<bool>("cold");
  if (call.runs < 1) fields.fail("runs", "must be at least 1");
  TRY_VOID(fields.finish());
  return call;
}

Json to_json(const TimeSampleAnswer& answer) { return {{"report", to_json(answer.report)}}; }

Result<TimeSampleAnswer> time_sample_answer_from(const Json& json) {
  Fields fields(json, "time_sample answer");
  const Json report = fields.get<Json>("report");
  TRY_VOID(fields.finish());
  TimeSampleAnswer answer;
  TRY(answer.report, run_report_from(report));
  return answer;
}

Json to_json(const OpenCaseCall& call) {
  return {{"task", to_json(call.task)},
          {"variant", call.variant},
          {"seed", call.seed},
          {"distribution", call.distribution}};
}

Result<OpenCaseCall> open_case_call_from(const Json& json) {
  Fields fields(json, "open_case");
  OpenCaseCall call;
  const Json& task = fields.object("task");
  call.variant = fields.get<std::string>("variant");
  call.seed = fields.get<std::uint64_t>("seed");
  call.distribution = fields.get<std::string>("distribution");
  TRY_VOID(fields.finish());
  TRY(call.task, task_from(task, "open_case.task"));
  return call;
}

Json to_json(const OpenCaseAnswer& answer) {
  return {{"case_id", answer.case_id},
          {"inputs", to_json(answer.inputs)},
          {"reference_ns", answer.reference_ns}};
}

Result<OpenCaseAnswer> open_case_answer_from(const Json& json) {
  Fields fields(json, "open_case answer");
  OpenCaseAnswer answer;
  answer.case_id = fields.get<std::string>("case_id");
  const Json& inputs = fields.object("inputs");
  answer.reference_ns = fields.get<std::int64_t>("reference_ns");
  TRY_VOID(fields.finish());
  TRY(answer.inputs, arena_layout_from(inputs, "open_case answer.inputs"));
  return answer;
}

Json to_json(const NewOutputsCall& call) {
  return {{"case_id", call.case_id}, {"poison_seed", call.poison_seed}};
}

Result<NewOutputsCall> new_outputs_call_from(const Json& json) {
  Fields fields(json, "new_outputs");
  NewOutputsCall call;
  call.case_id = fields.get<std::string>("case_id");
  call.poison_seed = fields.get<std::uint64_t>("poison_seed");
  TRY_VOID(fields.finish());
  return call;
}

Json to_json(const NewOutputsAnswer& answer) { return {{"outputs", to_json(answer.outputs)}}; }

Result<NewOutputsAnswer> new_outputs_answer_from(const Json& json) {
  Fields fields(json, "new_outputs answer");
  const Json& outputs = fields.object("outputs");
  TRY_VOID(fields.finish());
  NewOutputsAnswer answer;
  TRY(answer.outputs, arena_layout_from(outputs, "new_outputs answer.outputs"));
  return answer;
}

Json to_json(const JudgeCall& call) {
  return {{"case_id", call.case_id},
          {"poison_seed", call.poison_seed},
          {"outputs", to_json(call.outputs)}};
}

Result<JudgeCall> judge_call_from(const Json& json) {
  Fields fields(json, "judge");
  JudgeCall call;
  call.case_id = fields.get<std::string>("case_id");
  call.poison_seed = fields.get<std::uint64_t>("poison_seed");
  const Json& outputs = fields.object("outputs");
  TRY_VOID(fields.finish());
  TRY(call.outputs, arena_layout_from(outputs, "judge.outputs"));
  return call;
}

Json to_json(const JudgeAnswer& answer) {
  return {{"verdict", to_json(answer.verdict)}, {"outcome", to_json(answer.outcome)}};
}

Result<JudgeAnswer> judge_answer_from(const Json& json) {
  Fields fields(json, "judge answer");
  const Json verdict = fields.get<Json>("verdict");
  const Json outcome = fields.get<Json>("outcome");
  TRY_VOID(fields.finish());
  JudgeAnswer answer;
  TRY(answer.verdict, case_verdict_from(verdict, "judge answer.verdict"));
  TRY(answer.outcome, outcome_from(outcome, "judge answer.outcome"));
  return answer;
}

Json to_json(const TimeReferenceCall& call) {
  return {
      {"case_id", call.case_id}, {"runs", call.runs}, {"cold", call.cold}, {"cores", call.cores}};
}

Result<TimeReferenceCall> time_reference_call_from(const Json& json) {
  Fields fields(json, "time_reference");
  TimeReferenceCall call;
  call.case_id = fields.get<std::string>("case_id");
  call.runs = fields.get<int>("runs");
  call.cold = fields.get<bool>("cold");
  call.cores = fields.get<int>("cores");
  if (call.runs < 1) fields.fail("runs", "must be at least 1");
  TRY_VOID(fields.finish());
  return call;
}

Json to_json(const AdmitCall& call) { return {{"task", to_json(call.task)}, {"seed", call.seed}}; }

Result<AdmitCall> admit_call_from(const Json& json) {
  Fields fields(json, "admit");
  AdmitCall call;
  const Json& task = fields.object("task");
  call.seed = fields.get<std::uint64_t>("seed");
  TRY_VOID(fields.finish());
  TRY(call.task, task_from(task, "admit.task"));
  return call;
}

Json to_json(const AdmitAnswer& answer) { return {{"marks", answer.marks}}; }

Result<AdmitAnswer> admit_answer_from(const Json& json) {
  Fields fields(json, "admit answer");
  AdmitAnswer answer;
  answer.marks = fields.get<std::vector<std::string>>("marks");
  TRY_VOID(fields.finish());
  return answer;
}

}  // namespace kvgen
