#pragma once

#include <string>

#include "kvgen/base/result.h"
#include "kvgen/model/task.h"

namespace kvgen {

// What a task must be beyond its codec, wherever it came from: a name that a
// folder may have, and variants that make sense and agree.
Result<void> check_task(const Task& task, const std::string& where);

}  // namespace kvgen
