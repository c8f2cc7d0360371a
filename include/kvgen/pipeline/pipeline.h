#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/log.h"
#include "kvgen/base/result.h"
#include "kvgen/model/attempt.h"
#include "kvgen/model/task.h"
#include "kvgen/pipeline/verifier.h"
#include "kvgen/stage/generator.h"
#include "kvgen/stage/journal.h"

namespace kvgen {

struct PipelineOptions {
  int attempts = 1;  // at most, a task; fewer once one is verified
  int jobs = 1;      // tasks at once
  std::vector<std::string> refused_marks = {"degenerate", "random"};  // by their first word
};

// What became of one task.
struct TaskResult {
  std::string name;
  std::string hash;
  std::vector<Attempt> attempts;       // finished ones, by turn
  std::optional<std::string> refused;  // a mark that the pipeline does not admit
  std::optional<Error> error;          // ours: the task is not finished and will be tried again

  // The verified attempt with the best time, or the last one; null without attempts.
  [[nodiscard]] const Attempt* best() const;
};

// Told as things happen, on the event loop.
class PipelineObserver {
 public:
  virtual ~PipelineObserver() = default;
  virtual void task_started(const Task&) {}
  // For a provider of replies that is down or busy; in words.
  virtual void waits(const Task&, const std::string&) {}
  virtual void attempt_finished(const Task&, const Attempt&) {}
  virtual void task_finished(const TaskResult&) {}
};

// The main job: every task through generate, prove and journal, several at once.
// A task that an earlier process finished is not worked on again.
class Pipeline {
 public:
  Pipeline(Generator& generator, Verifier& verifier, Journal& journal, PipelineObserver& observer,
           PipelineOptions options);

  // Results in the order of the tasks. An Error ends the run: the journal cannot
  // be written, or the environment lacks something that every task needs.
  Awaitable<Result<std::vector<TaskResult>>> run(const std::vector<Task>& tasks);

 private:
  Awaitable<Result<TaskResult>> work_on(const Task& task);
  Awaitable<Result<void>> take_turns(const Task& task, TaskResult& result);
  Awaitable<Result<Attempt>> try_once(const Task& task, Cases& cases, int turn,
                                      const History& history);
  Awaitable<Result<void>> get_reply(const Task& task, const History& history, Attempt& attempt);

  Generator& generator_;
  Verifier& verifier_;
  Journal& journal_;
  PipelineObserver& observer_;
  PipelineOptions options_;
};

}  // namespace kvgen
