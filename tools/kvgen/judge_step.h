#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "kvgen/model/attempt.h"
#include "kvgen/model/task.h"
#include "session.h"

namespace kvgen::tools {

// A reply from a file, judged on a task from a file.
struct JudgeRequest {
  std::string task;       // a module or a bundle
  std::string candidate;  // a reply
  std::optional<std::uint64_t> seed;
  bool profile = true;
};

// --seed and --no-profile.
void add_judging(CLI::App& command, JudgeRequest& request);

struct Judged {
  Task task;
  Attempt attempt;
};

// The task that a path holds; kUsage when it holds several.
Awaitable<Result<Task>> task_at(const std::string& path, const World& world, Session& session);

Awaitable<Result<Judged>> judge_step(const JudgeRequest& request, const World& world,
                                     Session& session);

// What `verify`, `explain` and `repro` end with: 0 verified, 4 not judged here, 10 rejected.
int exit_code_for(const Outcome& outcome);

}  // namespace kvgen::tools
