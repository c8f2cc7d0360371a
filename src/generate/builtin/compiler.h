#pragma once

#include <string>
#include <variant>

#include "kvgen/model/task.h"

namespace kvgen::builtin {

// A reply that solves the task, or the reason why the rules do not reach:
// "no rule for aten::cumsum". The same task always gives the same text.
struct Declined {
  std::string reason;
};
std::variant<std::string, Declined> write_reply(const Task& task);

}  // namespace kvgen::builtin
