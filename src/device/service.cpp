#include "kvgen/device/service.h"

#include <fcntl.h>

#include <utility>

#include "device/stream.h"

namespace kvgen {
namespace {

constexpr std::int64_t kObjectLimit = 64LL << 20;
constexpr std::int64_t kBudgetLimitMs = 3'600'000;
constexpr int kRunsLimit = 1'000'000;

Result<DeviceRun> device_run(Message body) {
  TRY(RunCall call, run_call_from(body.json));
  if (body.fds.size() != 3) {
    return Error(Code::kInvalid, "run: wants an object, inputs and outputs");
  }
  if (call.budget_ms < 1 || call.budget_ms > kBudgetLimitMs || call.cores < 0) {
    return Error(Code::kInvalid, "run: budget_ms or cores out of range");
  }
  if (call.schedule != "forward" && call.schedule != "reverse" && call.schedule != "random") {
    return Error(Code::kInvalid, "run: unknown schedule " + call.schedule);
  }
  DeviceRun run;
  TRY(run.plan, resolved_plan_from(call.plan, "run.plan"));
  TRY(run.object, read_blob(*body.fds[0], kObjectLimit));
  if ((::fcntl(body.fds[1]->get(), F_GET_SEALS) & F_SEAL_FUTURE_WRITE) == 0) {
    return Error(Code::kInvalid, "run: the inputs arena is not frozen");
  }
  // Checked here (seals, sizes), mapped by the engine.
  TRY_VOID(Arena::open(body.fds[1], call.inputs, false));
  TRY_VOID(Arena::open(body.fds[2], call.outputs, false));
  TRY_VOID(check_bounds(run.plan, call.inputs, call.outputs));
  run.inputs_fd = body.fds[1];
  run.outputs_fd = body.fds[2];
  run.inputs = std::move(call.inputs);
  run.outputs = std::move(call.outputs);
  run.poison_seed = call.poison_seed;
  run.budget_ms = call.budget_ms;
  run.cores = call.cores;
  run.schedule = std::move(call.schedule);
  return run;
}

class Service {
 public:
  explicit Service(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  Result<Message> answer(const std::string& op, Message body) {
    if (op == "run") {
      TRY(DeviceRun run, device_run(std::move(body)));
      TRY(const RunReport report, engine_->run(std::move(run)));
      return Message{to_json(report), {}};
    }
    if (op == "time_open") {
      session_.reset();
      TRY(DeviceRun run, device_run(std::move(body)));
      TRY(session_, engine_->open(std::move(run)));
      return Message{to_json(session_->first()), {}};
    }
    if (op == "time_sample") {
      TRY(const TimeSampleCall call, time_sample_call_from(body.json));
      if (call.runs > kRunsLimit) return Error(Code::kInvalid, "time_sample: too many runs");
      if (session_ == nullptr) return Error(Code::kNotFound, "time_sample: no session is open");
      TimeSampleAnswer sample;
      TRY(sample.report, session_->sample(call.runs, call.cold));
      return Message{to_json(sample), {}};
    }
    if (op == "time_close") {
      session_.reset();
      return Message{Json::object(), {}};
    }
    return Error(Code::kUsage, "the runner has no operation \"" + op + "\"");
  }

 private:
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<DeviceSession> session_;
};

}  // namespace

Handler runner_handler(std::unique_ptr<Engine> engine) {
  auto service = std::make_shared<Service>(std::move(engine));
  return [service](const std::string& op, Message body) {
    return service->answer(op, std::move(body));
  };
}

}  // namespace kvgen
