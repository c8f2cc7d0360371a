#include <cstring>

#include "kvgen/pool/clients.h"
#include "kvgen/worker/protocol.h"

namespace kvgen {
namespace {

constexpr std::chrono::seconds kSlack{30};
constexpr int kFreshWorkers = 5;

// The plan and the layouts go on unread: the runner checks what it is told.
Message call_for(const RunRequest& request) {
  Json body = to_json(RunCall{
      Json(), {}, {}, request.poison_seed, request.budget_ms, request.cores, request.schedule});
  body["plan"] = request.plan;
  body["inputs"] = request.inputs.layout;
  body["outputs"] = request.outputs.layout;
  return {std::move(body), {request.object, request.inputs.fd, request.outputs.fd}};
}

RunSeen seen_from(RunReport report) {
  return {report.status == RunReport::Status::kFinished,
          std::string(to_string(report.status)),
          std::move(report.reason),
          std::move(report.detail),
          std::move(report.printed),
          report.wall_ns};
}

// Ends that a sick machine could cause as well as a candidate.
bool needs_canary(const RunSeen& seen) {
  return seen.status == "crash" || seen.status == "timeout" || seen.status == "launch_error";
}

std::chrono::milliseconds deadline_of(const RunRequest& request) {
  return std::chrono::milliseconds(request.budget_ms) + kSlack;
}

Awaitable<Result<RunSeen>> ask_run(WorkerGroup::Lease& worker, std::string op,
                                   const RunRequest& request) {
  CO_TRY(Message reply, co_await worker.ask(op, call_for(request), deadline_of(request)));
  CO_TRY(RunReport report, run_report_from(reply.json));
  co_return seen_from(std::move(report));
}

class WorkerTimedRun : public TimedRun {
 public:
  WorkerTimedRun(WorkerGroup::Lease worker, std::chrono::milliseconds deadline, RunSeen first)
      : worker_(std::move(worker)), deadline_(deadline), first_(std::move(first)) {}

  ~WorkerTimedRun() override {
    // A worker that still holds the candidate's process must not serve the next one.
    if (open_) worker_.discard();
  }
  WorkerTimedRun(const WorkerTimedRun&) = delete;
  WorkerTimedRun& operator=(const WorkerTimedRun&) = delete;

  const RunSeen& first() const override { return first_; }

  Awaitable<Result<RunSeen>> sample(int runs, bool cold) override {
    Message call{to_json(TimeSampleCall{runs, cold}), {}};
    CO_TRY(Message reply, co_await worker_.ask("time_sample", std::move(call), deadline_));
    CO_TRY(TimeSampleAnswer answer, time_sample_answer_from(reply.json));
    co_return seen_from(std::move(answer.report));
  }

  Awaitable<Result<void>> close() override {
    open_ = false;
    auto reply = co_await worker_.ask("time_close", {Json::object(), {}}, deadline_);
    if (!reply.ok()) worker_.discard();
    co_return ok();
  }

 private:
  WorkerGroup::Lease worker_;
  std::chrono::milliseconds deadline_;
  RunSeen first_;
  bool open_ = true;
};

class WorkerRunner : public Runner {
 public:
  WorkerRunner(WorkerGroup& workers, std::string device, std::string machine, Canary canary)
      : workers_(workers),
        device_(std::move(device)),
        machine_(std::move(machine)),
        canary_(std::move(canary)) {}

  Awaitable<Result<RunSeen>> run(RunRequest request) override {
    auto worker = co_await workers_.lease();
    co_return co_await judged_by_canary(worker, "run", request);
  }

  Awaitable<Result<std::unique_ptr<TimedRun>>> time(RunRequest request) override {
    auto worker = co_await workers_.lease();
    CO_TRY(RunSeen first, co_await judged_by_canary(worker, "time_open", request));
    co_return std::make_unique<WorkerTimedRun>(std::move(worker), deadline_of(request),
                                               std::move(first));
  }

  std::string device() const override { return device_; }
  std::string machine() const override { return machine_; }

 private:
  Awaitable<Result<RunSeen>> judged_by_canary(WorkerGroup::Lease& worker, const std::string& op,
                                              const RunRequest& request) {
    std::string last;
    for (int fresh = 0; fresh < kFreshWorkers; ++fresh) {
      auto seen = co_await ask_run(worker, op, request);
      if (!seen.ok() && !worker_failed(seen.error())) co_return seen;
      if (seen.ok() && !needs_canary(*seen)) co_return seen;
      if (co_await canary_sings(worker)) {
        if (seen.ok()) co_return seen;
        last = seen.error().message();
        continue;
      }
      worker.discard();
      last = "it fails on a known-good kernel too: this machine, not the candidate";
    }
    Error error(Code::kWorker, "no runner could judge this candidate, " +
                                   std::to_string(kFreshWorkers) + " fresh ones tried: " + last);
    error.set_retryable();
    co_return error;
  }

  Awaitable<bool> canary_sings(WorkerGroup::Lease& worker) {
    const auto seen = co_await ask_run(worker, "run", canary_.request);
    co_return seen.ok() && seen->finished&& outputs_right();
  }

  bool outputs_right() const {
    auto layout = arena_layout_from(canary_.request.outputs.layout, "outputs");
    if (!layout.ok()) return false;
    auto arena = Arena::open(canary_.request.outputs.fd, std::move(layout).value(), true);
    if (!arena.ok()) return false;
    const auto bytes = arena->data(arena->layout().tensors.front());
    const bool right = std::memcmp(bytes.data(), canary_.expected.data(), bytes.size()) == 0;
    std::memset(bytes.data(), 0, bytes.size());
    return right;
  }

  WorkerGroup& workers_;
  std::string device_;
  std::string machine_;
  Canary canary_;
};

}  // namespace

std::unique_ptr<Runner> make_runner(WorkerGroup& workers, std::string device, std::string machine,
                                    Canary canary) {
  return std::make_unique<WorkerRunner>(workers, std::move(device), std::move(machine),
                                        std::move(canary));
}

}  // namespace kvgen
