#include "kvgen/device/engine.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "device/cpu/process.h"
#include "device/cpu/regions.h"
#include "device/cpu/report.h"
#include "kvgen/cpu/machine.h"
#include "kvgen/cpu/object.h"

namespace kvgen {
namespace {

using Status = RunReport::Status;
using Clock = std::chrono::steady_clock;

// Two mappings a stack; the kernel allows 65,530 in a process.
constexpr unsigned kStacksLimit = 30'000;

RunReport launch_error(std::string reason, const std::string& place = {}) {
  RunReport report;
  report.status = Status::kLaunchError;
  report.reason = std::move(reason);
  if (!place.empty()) report.detail["place"] = place;
  return report;
}

// Empty when the launch can be made.
std::string launch_problem(const ResolvedLaunch& launch, const CpuObject& object) {
  if (object.entry(launch.symbol) == 0) {
    return "the object has no kernel " + launch.name + " (" + launch.symbol + ")";
  }
  std::int64_t threads = 1;
  for (const std::int64_t side : launch.block) {
    if (side < 1 || side > KVGEN_CPU_THREADS_LIMIT) return "a block has 1 to 1024 threads";
    threads *= side;
  }
  if (threads > KVGEN_CPU_THREADS_LIMIT) {
    return "a block of " + std::to_string(threads) + " threads; at most 1024";
  }
  const std::int64_t most[3] = {(1LL << 31) - 1, 65'535, 65'535};
  for (int i = 0; i < 3; ++i) {
    if (launch.grid[i] < 1 || launch.grid[i] > most[i]) {
      return "a grid of " + std::to_string(launch.grid[i]) + " blocks along dimension " +
             std::to_string(i) + "; 1 to " + std::to_string(most[i]);
    }
  }
  const auto lds = static_cast<std::int64_t>(object.static_lds());
  if (launch.dynamic_lds < 0 || launch.dynamic_lds > kCpuLdsLimit - lds) {
    return std::to_string(launch.dynamic_lds) + " bytes of dynamic and " + std::to_string(lds) +
           " of static LDS; at most " + std::to_string(kCpuLdsLimit) + " together";
  }
  return {};
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("model name", 0) == 0) {
      const auto colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "x86-64";
}

unsigned core_count() { return std::max(1U, std::thread::hardware_concurrency()); }

// A child and what it said so far.
class CpuSession final : public DeviceSession {
 public:
  CpuSession(DeviceRun run, CpuObject object) : run_(std::move(run)), object_(std::move(object)) {}

  // The outputs arena is mapped here only for sessions, after the fork: a child must not
  // inherit a mapping without guards.
  Result<void> begin(bool timed, const CacheSizes& caches) {
    ChildTask task{run_, object_};
    task.block_threads = largest_block();
    task.threads = std::clamp(kStacksLimit / task.block_threads, 1U, core_count());
    if (run_.cores > 0) task.threads = std::min(task.threads, static_cast<unsigned>(run_.cores));
    task.flushes = timed;
    task.caches = caches;
    deadline_ = Clock::now() + std::chrono::milliseconds(run_.budget_ms);
    TRY(CandidateProcess process, CandidateProcess::start(task));
    process_.emplace(std::move(process));
    TRY(first_, order(1, false));
    if (timed && first_.status == Status::kFinished) {
      TRY(Arena outputs, Arena::open(run_.outputs_fd, run_.outputs, true));
      outputs_.emplace(std::move(outputs));
      TRY(Arena inputs, Arena::open(run_.inputs_fd, run_.inputs, false));
      inputs_.emplace(std::move(inputs));
    }
    return ok();
  }

  [[nodiscard]] const RunReport& first() const override { return first_; }

  Result<RunReport> sample(int runs, bool cold) override {
    if (broken_) return *broken_;
    refresh_outputs();
    deadline_ = Clock::now() + std::chrono::milliseconds(run_.budget_ms);
    return order(runs, cold);
  }

  void end() { process_->end(); }

 private:
  [[nodiscard]] unsigned largest_block() const {
    std::int64_t largest = 1;
    for (const auto* steps : {&run_.plan.prepare, &run_.plan.run}) {
      for (const ResolvedStep& step : *steps) {
        if (const auto* launch = std::get_if<ResolvedLaunch>(&step.what)) {
          largest = std::max(largest, launch->block[0] * launch->block[1] * launch->block[2]);
        }
      }
    }
    return static_cast<unsigned>(largest);
  }

  Result<RunReport> order(int runs, bool cold) {
    TRY_VOID(process_->order({static_cast<std::uint32_t>(runs), cold ? 1U : 0U}));
    std::chrono::nanoseconds total{0};
    for (int window = 0; window < (cold ? runs : 1); ++window) {
      auto heard = process_->hear(deadline_);
      if (heard != kReady) return broke_off(heard);
      const auto start = Clock::now();
      process_->let_go();
      heard = process_->hear(deadline_);
      if (heard != kDone) return broke_off(heard);
      total += Clock::now() - start;
    }
    RunReport report;
    report.printed = printed_text(process_->control());
    report.wall_ns = total.count();
    return report;
  }

  // The child said something else than it should, or nothing in time, or has ended.
  Result<RunReport> broke_off(std::optional<char> heard) {
    const int status = process_->end();
    const ChildControl& control = process_->control();
    if (heard == kFailed) {
      const std::string_view said(control.own_error,
                                  ::strnlen(control.own_error, sizeof control.own_error));
      Error error(Code::kFull, "the candidate's process could not be set up: " + std::string(said));
      error.set_retryable();
      return error;
    }
    RunReport report;
    if (control.stopped.load() == 2) {
      report = report_of_fault(control, run_);
      if (control.fault.kind == CpuFault::Kind::kNoMemory) {
        Error error(Code::kFull, "no memory for the stacks of a block");
        error.set_retryable();
        return error;
      }
    } else if (!heard) {
      report.status = Status::kTimeout;
      report.reason = "not finished within " + std::to_string(run_.budget_ms) + " ms";
    } else {
      report.status = Status::kCrash;
      report.reason = WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL
                          ? "the process ended with " + std::string(sigabbrev(WTERMSIG(status)))
                          : "the process ended by itself";
    }
    report.printed = printed_text(control);
    broken_ = report;
    return report;
  }

  static std::string sigabbrev(int signal) {
    const char* const name = ::sigabbrev_np(signal);
    return name == nullptr ? "signal " + std::to_string(signal) : "SIG" + std::string(name);
  }

  // Poison in outputs; NAME.out a copy of NAME.
  void refresh_outputs() {
    const std::uint64_t pattern = poison_pattern(run_.poison_seed + ++samples_);
    for (const ArenaTensor& tensor : outputs_->layout().tensors) {
      const auto to = outputs_->data(tensor);
      const ArenaTensor* const from = source_of(tensor);
      if (from != nullptr) {
        std::memcpy(to.data(), inputs_->data(*from).data(), to.size());
      } else {
        poison(reinterpret_cast<char*>(to.data()), static_cast<std::int64_t>(to.size()), pattern);
      }
    }
  }

  [[nodiscard]] const ArenaTensor* source_of(const ArenaTensor& output) const {
    if (output.spec.role != TensorRole::kInPlace) return nullptr;
    for (const ArenaTensor& input : inputs_->layout().tensors) {
      if (input.spec.name + ".out" == output.spec.name && input.data_bytes == output.data_bytes) {
        return &input;
      }
    }
    return nullptr;
  }

  const DeviceRun run_;
  const CpuObject object_;
  Clock::time_point deadline_;
  std::optional<CandidateProcess> process_;
  RunReport first_;
  std::optional<RunReport> broken_;
  std::optional<Arena> inputs_;
  std::optional<Arena> outputs_;
  std::uint64_t samples_ = 0;
};

// A launch that cannot be made: opens, and reports the same for ever.
class RefusedSession final : public DeviceSession {
 public:
  explicit RefusedSession(RunReport report) : report_(std::move(report)) {}
  [[nodiscard]] const RunReport& first() const override { return report_; }
  Result<RunReport> sample(int /*runs*/, bool /*cold*/) override { return report_; }

 private:
  RunReport report_;
};

class CpuEngine final : public Engine {
 public:
  explicit CpuEngine(const CpuEngineOptions& options) : options_(options) {
    ::signal(SIGPIPE, SIG_IGN);
  }

  Result<RunReport> run(DeviceRun run) override {
    TRY(auto session, start(std::move(run), false));
    return session->first();
  }

  Result<std::unique_ptr<DeviceSession>> open(DeviceRun run) override {
    return start(std::move(run), true);
  }

  [[nodiscard]] Json describe() const override {
    return {{"device", "cpu"}, {"machine", processor_}, {"cores", core_count()}};
  }

 private:
  Result<std::unique_ptr<DeviceSession>> start(DeviceRun run, bool timed) {
    using Session = std::unique_ptr<DeviceSession>;
    std::int64_t bytes = 0;
    for (const ResolvedBuffer& buffer : run.plan.buffers) bytes += buffer.bytes;
    if (bytes > options_.buffer_bytes) {
      return Error(Code::kFull, "the plan's buffers take " + std::to_string(bytes >> 20) +
                                    " MB; this runner gives " +
                                    std::to_string(options_.buffer_bytes >> 20));
    }
    auto object = read_cpu_object(std::move(run.object));
    if (!object.ok()) {
      return Session(new RefusedSession(launch_error(object.error().message())));
    }
    if (object->isa > machine_isa()) {
      return Error(Code::kMissing, "the object needs x86-64-v" + std::to_string(object->isa) +
                                       ", this machine has v" + std::to_string(machine_isa()));
    }
    for (const auto* steps : {&run.plan.prepare, &run.plan.run}) {
      for (const ResolvedStep& step : *steps) {
        const auto* launch = std::get_if<ResolvedLaunch>(&step.what);
        if (launch == nullptr) continue;
        if (std::string problem = launch_problem(*launch, *object); !problem.empty()) {
          return Session(new RefusedSession(launch_error(std::move(problem), step.place)));
        }
      }
    }
    auto session = std::make_unique<CpuSession>(std::move(run), std::move(object).value());
    TRY_VOID(session->begin(timed, caches_));
    if (!timed) session->end();
    return Session(std::move(session));
  }

  const CpuEngineOptions options_;
  // Read before the worker closes itself in.
  const std::string processor_ = processor_name();
  const CacheSizes caches_ = read_cache_sizes();
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(const CpuEngineOptions& options) {
  return std::make_unique<CpuEngine>(options);
}

}  // namespace kvgen
