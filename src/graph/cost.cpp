#include "kvgen/graph/cost.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "kvgen/graph/values.h"

namespace kvgen {
namespace {

// What each value looks like, by id.
using Metas = std::vector<std::optional<ValueMeta>>;

double count(const std::optional<ValueMeta>& meta) {
  return meta ? static_cast<double>(numel(meta->shape)) : 0.0;
}

const std::optional<ValueMeta>& described(const Metas& metas, const Node& node, std::size_t arg) {
  static const std::optional<ValueMeta> kNone;
  if (arg >= node.args.size()) return kNone;
  const auto* value = node.args[arg].as<ValueId>();
  return value == nullptr ? kNone : metas[static_cast<std::size_t>(value->id)];
}

double last_extent(const std::optional<ValueMeta>& meta) {
  return meta && !meta->shape.empty() ? static_cast<double>(meta->shape.back()) : 1.0;
}

constexpr std::array<std::string_view, 26> kViews = {
    "aten::view",      "aten::reshape",        "aten::transpose",  "aten::permute",
    "aten::expand",    "aten::expand_as",      "aten::unsqueeze",  "aten::squeeze",
    "aten::slice",     "aten::select",         "aten::narrow",     "aten::flatten",
    "aten::unflatten", "aten::detach",         "aten::detach_",    "aten::alias",
    "aten::t",         "aten::numpy_T",        "aten::contiguous", "aten::split",
    "aten::chunk",     "aten::unbind",         "aten::unfold",     "aten::view_as",
    "aten::movedim",   "aten::lift_fresh_copy"};

double recurrent_flops(const Metas& metas, const Node& node) {
  // Every weight meets every step of every sequence once.
  const auto& input = described(metas, node, 0);
  if (!input || input->shape.size() != 3) return 0;
  const double positions = static_cast<double>(input->shape[0] * input->shape[1]);
  double flops = 0;
  for_each_value(node, [&](ValueId value) {
    const auto& meta = metas[static_cast<std::size_t>(value.id)];
    if (meta && meta->shape.size() == 2) flops += 2.0 * positions * count(meta);
  });
  return flops;
}

double attention_flops(const Metas& metas, const Node& node) {
  const auto& query = described(metas, node, 0);
  const auto& key = described(metas, node, 1);
  if (!query || !key || query->shape.size() < 2 || key->shape.size() < 2) return 0;
  const double keys = static_cast<double>(key->shape[key->shape.size() - 2]);
  return 4.0 * count(query) * keys;
}

double flops_of(const Metas& metas, const Node& node) {
  const double made = node.metas.empty() ? 0.0 : count(node.metas.front());
  const std::string_view op = node.op;
  if (std::find(kViews.begin(), kViews.end(), op) != kViews.end()) return 0;
  if (op == "aten::matmul" || op == "aten::mm" || op == "aten::bmm") {
    return 2.0 * made * last_extent(described(metas, node, 0));
  }
  if (op == "aten::linear") return made * (2.0 * last_extent(described(metas, node, 0)) + 1.0);
  if (op == "aten::addmm" || op == "aten::baddbmm") {
    return made * (2.0 * last_extent(described(metas, node, 1)) + 1.0);
  }
  if (op.starts_with("aten::conv")) {
    const auto& weight = described(metas, node, 1);
    if (!weight || weight->shape.empty() || weight->shape[0] == 0) return made;
    const double outer =
        op.starts_with("aten::conv_transpose") ? count(described(metas, node, 0)) : made;
    return 2.0 * outer * count(weight) / static_cast<double>(weight->shape[0]) + made;
  }
  if (op == "aten::scaled_dot_product_attention") return attention_flops(metas, node);
  if (op == "aten::lstm" || op == "aten::gru") return recurrent_flops(metas, node);
  // One an element of what is larger, the first argument (a reduction) or the result.
  return std::max(made, count(described(metas, node, 0)));
}

}  // namespace

GraphCost cost_of(const Graph& graph) {
  GraphCost cost;
  Metas metas(static_cast<std::size_t>(value_count(graph)));
  std::set<int> used;
  for (const Node& node : graph.nodes) {
    for_each_value(node, [&](ValueId value) { used.insert(value.id); });
  }
  for (const GraphOutput& output : graph.outputs) used.insert(output.value.id);
  for (const GraphInput& input : graph.inputs) {
    metas[static_cast<std::size_t>(input.value.id)] = ValueMeta{input.spec.dtype, input.spec.shape};
    cost.elements += numel(input.spec.shape);
    if (used.contains(input.value.id)) cost.minimal_bytes += input.spec.bytes();
  }
  for (const Node& node : graph.nodes) {
    cost.flops += flops_of(metas, node);
    const bool view = std::find(kViews.begin(), kViews.end(), node.op) != kViews.end();
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.metas[i] && !view) cost.elements += numel(node.metas[i]->shape);
      if (node.outputs[i]) metas[static_cast<std::size_t>(node.outputs[i]->id)] = node.metas[i];
    }
  }
  for (const GraphOutput& output : graph.outputs) cost.minimal_bytes += output.spec.bytes();
  return cost;
}

}  // namespace kvgen
