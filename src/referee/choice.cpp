#include "referee/choice.h"

#include <algorithm>
#include <array>

namespace kvgen::referee {
namespace {

struct Chooser {
  std::string_view op;
  std::size_t indices;  // which result holds them
  std::size_t dim;      // position of the argument
  std::optional<std::int64_t> default_dim;
  bool first = false;
};

constexpr std::array<Chooser, 8> kChoosers = {{
    {"aten::argmax", 0, 1, std::nullopt, true},
    {"aten::argmin", 0, 1, std::nullopt, true},
    {"aten::max", 1, 1, std::nullopt, true},
    {"aten::min", 1, 1, std::nullopt, true},
    {"aten::topk", 1, 2, -1},
    {"aten::sort", 1, 1, -1},
    {"aten::argsort", 0, 1, -1},
    {"aten::kthvalue", 1, 2, -1},
}};

std::optional<std::int64_t> dim_of(const Node& node, const Chooser& chooser) {
  if (chooser.dim < node.args.size()) {
    if (const auto* dim = node.args[chooser.dim].as<std::int64_t>()) return *dim;
  }
  for (const auto& [name, value] : node.kwargs) {
    if (name != "dim") continue;
    if (const auto* dim = value.as<std::int64_t>()) return *dim;
  }
  return chooser.default_dim;
}

}  // namespace

std::vector<ChoiceSource> find_choices(const Graph& graph) {
  std::vector<ChoiceSource> sources;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    if (is_floating(graph.outputs[i].spec.dtype)) continue;
    for (const Node& node : graph.nodes) {
      const auto* chooser = std::find_if(kChoosers.begin(), kChoosers.end(),
                                         [&](const Chooser& c) { return c.op == node.op; });
      if (chooser == kChoosers.end() || chooser->indices >= node.outputs.size() ||
          node.outputs[chooser->indices] != graph.outputs[i].value || node.args.empty()) {
        continue;
      }
      if (const auto* from = node.args[0].as<ValueId>()) {
        sources.push_back({i, *from, dim_of(node, *chooser), chooser->first});
      }
    }
  }
  return sources;
}

Choice shape_of(const ChoiceSource& source, const Shape& shape) {
  Choice choice;
  if (!source.dim || shape.empty()) {
    choice.extent = numel(shape);
    return choice;
  }
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t dim = *source.dim < 0 ? *source.dim + rank : *source.dim;
  for (std::int64_t d = 0; d < rank; ++d) {
    const std::int64_t extent = shape[static_cast<std::size_t>(d)];
    if (d < dim) choice.outer *= extent;
    if (d == dim) choice.extent = extent;
    if (d > dim) choice.inner *= extent;
  }
  return choice;
}

}  // namespace kvgen::referee
