#pragma once

#include <memory>
#include <string>

#include "kvgen/base/result.h"
#include "kvgen/plan/resolved.h"
#include "kvgen/worker/arena.h"
#include "kvgen/worker/protocol.h"

namespace kvgen {

// A candidate to execute. The arenas are checked (sealed, of the told size);
// the inputs arena cannot be written.
struct DeviceRun {
  ResolvedPlan plan;
  std::string object;  // bytes
  SharedFd inputs_fd;
  SharedFd outputs_fd;
  ArenaLayout inputs;
  ArenaLayout outputs;
  std::uint64_t poison_seed = 0;
  std::int64_t budget_ms = 0;  // of the run, and of each sample
  int cores = 0;               // 0: all
  std::string schedule;        // forward, reverse, random
};

// A candidate that stays loaded between samples. Destroying it ends the process
// that holds it; then nothing of the candidate is left.
class DeviceSession {
 public:
  virtual ~DeviceSession() = default;
  // Of the opening run, which includes `prepare`.
  [[nodiscard]] virtual const RunReport& first() const = 0;
  // Outputs are poisoned anew, then the plan's run steps execute `runs` times. After a
  // report that is not kFinished, every later one is the same.
  virtual Result<RunReport> sample(int runs, bool cold) = 0;
};

// Executes candidates on one device: loads the module, binds tensors, runs the plan's
// steps in order, tells what happened. Never judges values. An Error is ours.
class Engine {
 public:
  virtual ~Engine() = default;
  // The candidate is dead when this returns.
  virtual Result<RunReport> run(DeviceRun run) = 0;
  virtual Result<std::unique_ptr<DeviceSession>> open(DeviceRun run) = 0;
  virtual Json describe() const = 0;  // {"device": "cpu", "machine": ..., "cores": ...}
};

struct CpuEngineOptions {
  std::int64_t buffer_bytes = 8LL << 30;  // of a plan's buffers together
};

// The embedded device: kernels on this machine's cores, each candidate in a forked
// child. The calling process must have one thread.
std::unique_ptr<Engine> make_cpu_engine(const CpuEngineOptions& options = {});

}  // namespace kvgen
