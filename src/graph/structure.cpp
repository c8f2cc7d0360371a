#include "kvgen/graph/structure.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "kvgen/base/hash.h"

namespace kvgen {
namespace {

// Operators whose integer lists and integers are sizes, not choices.
constexpr std::array<std::string_view, 22> kTakesSizes = {
    "aten::view",      "aten::reshape", "aten::expand",    "aten::layer_norm",
    "aten::rms_norm",  "aten::zeros",   "aten::ones",      "aten::full",
    "aten::empty",     "aten::rand",    "aten::randn",     "aten::arange",
    "aten::slice",     "aten::narrow",  "aten::split",     "aten::split_with_sizes",
    "aten::unflatten", "aten::repeat",  "aten::new_zeros", "aten::new_ones",
    "aten::unfold",    "aten::roll"};

Json all_integers_as_sizes(const Json& argument) {
  if (argument.is_number_integer()) return "size";
  if (!argument.is_array()) return argument;
  Json out = Json::array();
  for (const Json& item : argument) out.push_back(all_integers_as_sizes(item));
  return out;
}

class Renamer {
 public:
  int define(int id) { return order_.emplace(id, static_cast<int>(order_.size())).first->second; }

  Json rename(const Json& argument) {
    if (argument.is_object() && argument.contains("t")) {
      return {{"t", define(argument["t"].get<int>())}};
    }
    if (!argument.is_array()) return argument;
    Json out = Json::array();
    for (const Json& item : argument) out.push_back(rename(item));
    return out;
  }

 private:
  std::map<int, int> order_;
};

Json kind(const std::optional<ValueMeta>& meta) {
  if (!meta) return nullptr;
  return {to_string(meta->dtype), meta->shape.size()};
}

}  // namespace

std::string structural_hash(const Graph& graph) {
  Renamer renamer;
  Json structure = Json::array();
  for (const GraphInput& input : graph.inputs) {
    structure.push_back({to_string(input.spec.role), renamer.define(input.value.id),
                         to_string(input.spec.dtype), input.spec.shape.size()});
  }
  for (const Node& node : graph.nodes) {
    const bool sizes =
        std::find(kTakesSizes.begin(), kTakesSizes.end(), node.op) != kTakesSizes.end();
    const auto encoded = [&](const Argument& argument) {
      const Json renamed = renamer.rename(to_json(argument));
      return sizes ? all_integers_as_sizes(renamed) : renamed;
    };
    Json args = Json::array();
    for (const Argument& argument : node.args) args.push_back(encoded(argument));
    Json kwargs = Json::object();
    for (const auto& [name, argument] : node.kwargs) kwargs[name] = encoded(argument);
    Json results = Json::array();
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const auto& out = node.outputs[i];
      results.push_back({out ? Json(renamer.define(out->id)) : Json(nullptr),
                         kind(i < node.metas.size() ? node.metas[i] : std::nullopt)});
    }
    structure.push_back({node.full_name(), args, kwargs, results});
  }
  for (const GraphOutput& output : graph.outputs) {
    structure.push_back({to_string(output.spec.role), renamer.define(output.value.id)});
  }
  return sha256_of(structure);
}

}  // namespace kvgen
