#pragma once

#include "generate/prompt/template.h"
#include "kvgen/model/task.h"

namespace kvgen::generate {

// A task in words: `name`, `source`, `tensors`, `symbols`, `graph`, `sizes`, `notes`.
// What the task's author wrote stands between fences or on lines of its own, powerless.
TemplateValues describe_task(const Task& task);

}  // namespace kvgen::generate
