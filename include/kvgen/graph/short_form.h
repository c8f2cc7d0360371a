#pragma once

#include <string>
#include <vector>

#include "kvgen/model/task.h"

namespace kvgen {

// A few readable lines, one a call, values by their names where they have one:
//   %3 = softmax(x, dim=-1) : float32[128, 512]
// Scalars that a symbol carries are followed by its name: `0.001 {eps}`.
std::string short_form(const Graph& graph, const std::vector<Symbol>& symbols = {});

}  // namespace kvgen
