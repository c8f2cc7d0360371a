#pragma once

#include <functional>
#include <vector>

#include "kvgen/model/graph.h"

namespace kvgen {

// Calls `visit` for each value that an argument names, lists included.
void for_each_value(const Argument& argument, const std::function<void(ValueId)>& visit);
void for_each_value(const Node& node, const std::function<void(ValueId)>& visit);

// Values that nobody needs after a node, by node: what an executor may free.
// Outputs of the graph and inputs are in none; a result that nobody uses is in
// its own node's.
std::vector<std::vector<ValueId>> last_uses(const Graph& graph);

// The largest value id plus one, for tables.
int value_count(const Graph& graph);
int value_count(const InitProgram& program);

}  // namespace kvgen
