#include "kvgen/graph/values.h"

#include <algorithm>

namespace kvgen {
namespace {

int beyond(int count, ValueId value) { return std::max(count, value.id + 1); }

int beyond(int count, const std::vector<Node>& nodes) {
  for (const Node& node : nodes) {
    for (const auto& out : node.outputs) {
      if (out) count = beyond(count, *out);
    }
  }
  return count;
}

}  // namespace

void for_each_value(const Argument& argument, const std::function<void(ValueId)>& visit) {
  if (const auto* value = argument.as<ValueId>()) visit(*value);
  if (const auto* list = argument.as<ArgumentList>()) {
    for (const Argument& item : *list) for_each_value(item, visit);
  }
}

void for_each_value(const Node& node, const std::function<void(ValueId)>& visit) {
  for (const Argument& argument : node.args) for_each_value(argument, visit);
  for (const auto& [name, argument] : node.kwargs) for_each_value(argument, visit);
}

std::vector<std::vector<ValueId>> last_uses(const Graph& graph) {
  std::vector<int> last(static_cast<std::size_t>(value_count(graph)), -1);
  const auto mark = [&](ValueId value, int when) {
    last[static_cast<std::size_t>(value.id)] = when;
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const int now = static_cast<int>(i);
    for_each_value(graph.nodes[i], [&](ValueId value) { mark(value, now); });
    for (const auto& out : graph.nodes[i].outputs) {
      if (out) mark(*out, now);
    }
  }
  for (const GraphInput& input : graph.inputs) mark(input.value, -1);
  for (const GraphOutput& output : graph.outputs) mark(output.value, -1);

  std::vector<std::vector<ValueId>> freed(graph.nodes.size());
  for (std::size_t id = 0; id < last.size(); ++id) {
    if (last[id] < 0) continue;
    freed[static_cast<std::size_t>(last[id])].push_back(ValueId{static_cast<int>(id)});
  }
  return freed;
}

int value_count(const Graph& graph) {
  int count = 0;
  for (const GraphInput& input : graph.inputs) count = beyond(count, input.value);
  for (const GraphOutput& output : graph.outputs) count = beyond(count, output.value);
  return beyond(count, graph.nodes);
}

int value_count(const InitProgram& program) {
  int count = 0;
  for (const auto& constant : program.constants) count = beyond(count, constant.value);
  for (const auto& made : program.made) count = beyond(count, made.value);
  return beyond(count, program.nodes);
}

}  // namespace kvgen
