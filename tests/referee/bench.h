#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "kvgen/model/task.h"
#include "kvgen/referee/engine.h"
#include "kvgen/worker/protocol.h"

namespace kvgen::referee_bench {

// tests/referee/tasks/NAME.json: one variant, made a task.
Task load(const std::string& name);
Task task_of(Variant variant);

// What a candidate sees: every tensor by its name.
struct Tensors {
  std::map<std::string, std::span<float>> floats;
  std::map<std::string, std::span<std::int64_t>> integers;
  std::map<std::string, std::span<_Float16>> halves;
  std::map<std::string, std::span<std::byte>> regions;  // guards included

  std::span<float> operator[](const std::string& name) const { return floats.at(name); }
};
using Kernel = std::function<void(const Tensors&)>;

// Drives an engine as kvgen does: opens a case, runs a kernel on the arenas, has
// its outputs judged.
class Bench {
 public:
  explicit Bench(const RefereeLimits& limits = {}) : engine_(limits) {}

  Result<OpenCaseAnswer> open(const Task& task, const std::string& distribution = "recorded",
                              std::uint64_t seed = 1);
  Result<JudgeAnswer> judge(const Kernel& kernel, std::uint64_t poison_seed = 7);

  RefereeEngine& engine() { return engine_; }

 private:
  RefereeEngine engine_;
  OpenCaseAnswer opened_;
  SharedFd inputs_;
};

}  // namespace kvgen::referee_bench
