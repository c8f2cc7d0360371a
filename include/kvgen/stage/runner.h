#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kvgen/base/fd.h"
#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/stage/awaitable.h"

namespace kvgen {

// A sealed arena and its layout as JSON (worker/arena.h), passed on unread.
struct ArenaRef {
  SharedFd fd;
  Json layout;
};

struct RunRequest {
  SharedFd object;
  Json plan;  // plan/resolved.h, as JSON
  ArenaRef inputs;
  ArenaRef outputs;
  std::uint64_t poison_seed = 0;
  std::int64_t budget_ms = 10'000;
  int cores = 0;  // 0: all
  std::string schedule = "forward";
};

// What happened; never whether values are right.
struct RunSeen {
  bool finished = false;
  std::string status;  // "finished", "crash", "timeout", "out_of_bounds", ...
  std::string reason;
  Json detail = Json::object();
  std::string printed;
  std::int64_t wall_ns = 0;
};

// A candidate loaded for timing. Destroying it ends the candidate's process.
class TimedRun {
 public:
  virtual ~TimedRun() = default;
  [[nodiscard]] virtual const RunSeen& first() const = 0;
  virtual Awaitable<Result<RunSeen>> sample(int runs, bool cold) = 0;
  virtual Awaitable<Result<void>> close() = 0;
};

// Executes candidates on one device. An Error is ours: the worker could not be
// asked, or a known-good kernel fails too.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual Awaitable<Result<RunSeen>> run(RunRequest request) = 0;
  virtual Awaitable<Result<std::unique_ptr<TimedRun>>> time(RunRequest request) = 0;

  virtual std::string device() const = 0;   // "cpu"
  virtual std::string machine() const = 0;  // "Intel Xeon ..., 2 cores"
};

}  // namespace kvgen
