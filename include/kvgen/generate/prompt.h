#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kvgen/base/files.h"
#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/model/task.h"
#include "kvgen/stage/generator.h"

namespace kvgen {

// The templates of one folder (configs/prompts/hip): system.md, task.md, refine.md,
// devices.json and a worked example in example/ (module.py, task.md, reply.md).
class PromptBook {
 public:
  virtual ~PromptBook() = default;

  static Result<std::unique_ptr<PromptBook>> load(Files& files, const fs::path& folder);

  // What is asked on a task: [{"role", "content"}]. With a parent, its candidate and its
  // feedback card follow, and what became of the latest attempt where that is another one.
  // An Error: the task is too large for a prompt, or a template is wrong.
  virtual Result<Json> messages(const Task& task, const std::vector<std::string>& archs,
                                const History& history) const = 0;

  // {"name": "hip", "hash": "..."}: the templates that were used.
  virtual Json describe() const = 0;
};

// The attempt to go on from: the one that came furthest, the latest of equals; null
// without attempts.
const Attempt* best_so_far(const History& history);

}  // namespace kvgen
