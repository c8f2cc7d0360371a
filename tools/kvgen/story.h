#pragma once

#include <string>

#include "kvgen/model/attempt.h"
#include "kvgen/model/task.h"

namespace kvgen::tools {

// The story of one attempt for someone who wants to know why, in 80 columns: the task,
// who wrote it, what was built with which registers and shared memory, each case's error
// against its limit, the time, or what failed, where, and what to do next.
std::string story(const Task& task, const Attempt& attempt);

}  // namespace kvgen::tools
