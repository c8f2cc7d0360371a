#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/attempt.h"
#include "kvgen/model/task.h"

namespace kvgen {

// The truth about a run: what was decided, asked and found. Every call
// outlives this process when it returns; the next one goes on from it.
class Journal {
 public:
  virtual ~Journal() = default;

  virtual Result<void> add_task(const Task& task) = 0;
  // Sources that did not become a task: {"source", "reason"}.
  virtual Result<void> add_rejected_source(const std::string& source,
                                           const std::string& reason) = 0;

  virtual Result<void> begin_attempt(const std::string& task_hash, int turn) = 0;
  // The intent, before each request that may cost money is sent.
  virtual Result<void> about_to_ask(const std::string& task_hash, int turn) = 0;
  // The request announced last was refused or reached nobody. One that was announced and is
  // neither this nor followed by its reply was lost: the next one may buy the same twice.
  virtual Result<void> nothing_bought(const std::string& task_hash, int turn) = 0;
  // A completion, before it is used: it is never asked for again.
  virtual Result<void> keep_reply(const std::string& task_hash, int turn, const Reply& reply) = 0;
  virtual Result<std::optional<Reply>> kept_reply(const std::string& task_hash, int turn) = 0;
  virtual Result<void> finish_attempt(const Attempt& attempt) = 0;

  // Finished attempts of a task, by turn.
  virtual Result<std::vector<Attempt>> finished_attempts(const std::string& task_hash) = 0;
  virtual Result<void> finish_task(const std::string& task_hash) = 0;
  virtual Result<bool> task_finished(const std::string& task_hash) = 0;
};

}  // namespace kvgen
