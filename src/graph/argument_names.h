#pragma once

#include <string_view>

#include "kvgen/model/graph.h"

namespace kvgen {

// How torch calls a positional argument of the operators that modules mostly
// use ("dim" for the second of softmax); "" where this table does not know.
std::string_view argument_name(const Node& node, std::size_t position);

}  // namespace kvgen
