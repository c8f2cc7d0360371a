#pragma once

#include <time.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kvgen/stage/compiler.h"
#include "kvgen/stage/referee.h"
#include "kvgen/stage/runner.h"

// Stages that pass everything on and add up how long the calls took, and how much
// processor time this process (not its workers) spent in them.

namespace kvgen::bench {

inline double own_cpu_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

class Stopwatch {
 public:
  using Clock = std::chrono::steady_clock;

  template <class T>
  Awaitable<T> timed(Awaitable<T> call) {
    if (in_flight_++ == 0) begin();
    T value = co_await std::move(call);
    if (--in_flight_ == 0) end();
    co_return value;
  }
  [[nodiscard]] double wall_ms() const { return wall_ms_; }
  [[nodiscard]] double cpu_ms() const { return cpu_ms_; }

 private:
  void begin() {
    start_ = Clock::now();
    cpu_start_ = own_cpu_ms();
  }
  void end() {
    wall_ms_ += std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    cpu_ms_ += own_cpu_ms() - cpu_start_;
  }

  int in_flight_ = 0;  // calls that overlap count once
  Clock::time_point start_;
  double cpu_start_ = 0;
  double wall_ms_ = 0;
  double cpu_ms_ = 0;
};

class TimedCompiler : public Compiler {
 public:
  TimedCompiler(Compiler& inner, Stopwatch& watch) : inner_(inner), watch_(watch) {}
  Awaitable<Result<Compiled>> build(CompileRequest request) override {
    co_return co_await watch_.timed(inner_.build(std::move(request)));
  }

 private:
  Compiler& inner_;
  Stopwatch& watch_;
};

class TimedRunner : public Runner {
 public:
  TimedRunner(Runner& inner, Stopwatch& watch) : inner_(inner), watch_(watch) {}
  Awaitable<Result<RunSeen>> run(RunRequest request) override {
    co_return co_await watch_.timed(inner_.run(std::move(request)));
  }
  Awaitable<Result<std::unique_ptr<TimedRun>>> time(RunRequest request) override {
    co_return co_await watch_.timed(inner_.time(std::move(request)));
  }
  std::string device() const override { return inner_.device(); }
  std::string machine() const override { return inner_.machine(); }

 private:
  Runner& inner_;
  Stopwatch& watch_;
};

class TimedReferee : public Referee {
 public:
  TimedReferee(Referee& inner, Stopwatch& watch) : inner_(inner), watch_(watch) {}
  Awaitable<Result<RefereeCase>> open_case(const Task& task, CaseRequest request) override {
    co_return co_await watch_.timed(inner_.open_case(task, std::move(request)));
  }
  Awaitable<Result<ArenaRef>> new_outputs(const RefereeCase& opened, std::uint64_t seed) override {
    co_return co_await watch_.timed(inner_.new_outputs(opened, seed));
  }
  Awaitable<Result<Judgement>> judge(const RefereeCase& opened, const ArenaRef& outputs,
                                     std::uint64_t seed) override {
    co_return co_await watch_.timed(inner_.judge(opened, outputs, seed));
  }
  Awaitable<Result<std::int64_t>> time_reference(const RefereeCase& opened, int runs, bool cold,
                                                 int cores) override {
    co_return co_await watch_.timed(inner_.time_reference(opened, runs, cold, cores));
  }
  Awaitable<Result<std::vector<std::string>>> admit(const Task& task, std::uint64_t seed) override {
    co_return co_await watch_.timed(inner_.admit(task, seed));
  }
  std::string describe() const override { return inner_.describe(); }

 private:
  Referee& inner_;
  Stopwatch& watch_;
};

}  // namespace kvgen::bench
