#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/clock.h"
#include "kvgen/base/log.h"
#include "kvgen/base/result.h"
#include "kvgen/model/attempt.h"
#include "kvgen/model/task.h"
#include "kvgen/pipeline/prover.h"
#include "kvgen/pipeline/verifier.h"
#include "kvgen/stage/generator.h"
#include "kvgen/stage/journal.h"
#include "kvgen/stage/pause.h"
#include "kvgen/stage/task_source.h"

namespace kvgen {

// What a run that nobody watches does.
struct Unattended {
  const Clock& clock;
  Pause& pause;
  std::chrono::minutes wait_for_room{0};    // while the disk is full
  std::optional<Clock::Instant> stop_at{};  // nothing new is begun after that
};

struct PipelineOptions {
  int attempts = 1;  // at most, a task; fewer once one is verified
  int jobs = 1;      // tasks at once
  std::vector<std::string> refused_marks = {"degenerate", "random"};  // by their first word
  std::optional<Unattended> unattended{};
};

// What became of one task.
struct TaskResult {
  std::string name;
  std::string hash;
  std::vector<Attempt> attempts;       // finished ones, by turn
  std::optional<std::string> refused;  // a mark that the pipeline does not admit
  std::optional<Error> error;          // ours: the task is not finished and will be tried again
  bool left = false;                   // for a later run: the time was up

  // The verified attempt with the best time, or the last one; null without attempts.
  [[nodiscard]] const Attempt* best() const;
};

// Drops what a report does not say: replies, sources, builds, cases, samples.
void lighten(TaskResult& result);

// Told as things happen, on the event loop.
class PipelineObserver {
 public:
  virtual ~PipelineObserver() = default;
  virtual void task_started(const Task&) {}
  // For a provider of replies that is down or busy, or for room on a disk; in words.
  virtual void waits(const Task&, const std::string&) {}
  virtual void attempt_finished(const Task&, const Attempt&) {}
  virtual void task_finished(const TaskResult&) {}
};

// The main job: every task through generate, prove and journal, several at once.
// A task that an earlier process finished is not worked on again.
class Pipeline {
 public:
  Pipeline(Generator& generator, Prover& prover, Journal& journal, PipelineObserver& observer,
           PipelineOptions options);

  // Light results, in the order in which the source gave the tasks. An Error ends the run: the
  // journal cannot be written, or the environment lacks something that every task needs.
  Awaitable<Result<std::vector<TaskResult>>> run(TaskSource& tasks);
  Awaitable<Result<std::vector<TaskResult>>> run(const std::vector<Task>& tasks);

 private:
  Awaitable<Result<TaskResult>> work_on(const Task& task);
  Awaitable<Result<void>> take_turns(const Task& task, TaskResult& result);
  Awaitable<Result<Attempt>> try_once(const Task& task, Cases& cases, int turn,
                                      const History& history);
  Awaitable<Result<void>> get_reply(const Task& task, const History& history, Attempt& attempt);

  [[nodiscard]] bool time_is_up() const;

  Generator& generator_;
  Prover& prover_;
  Journal& journal_;
  PipelineObserver& observer_;
  PipelineOptions options_;
  bool ending_ = false;  // an Error ends the run: nobody is asked any more
};

}  // namespace kvgen
