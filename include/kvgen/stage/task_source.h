#pragma once

#include <optional>

#include "kvgen/base/result.h"
#include "kvgen/model/task.h"
#include "kvgen/stage/awaitable.h"

namespace kvgen {

// Gives a run its tasks one after the other, so that only those that are worked on are in
// memory. Several coroutines may ask at once; each task is given once. An Error ends the run.
class TaskSource {
 public:
  virtual ~TaskSource() = default;
  virtual Awaitable<Result<std::optional<Task>>> next() = 0;  // none: there are no more
};

}  // namespace kvgen
