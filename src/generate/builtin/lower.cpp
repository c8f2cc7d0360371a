#include "generate/builtin/lower.h"

#include <algorithm>
#include <set>

namespace kvgen::builtin {
namespace {

const Rules& all_rules() {
  static const Rules kRules = [] {
    Rules rules;
    add_pointwise_rules(rules);
    add_activation_rules(rules);
    add_view_rules(rules);
    add_reduction_rules(rules);
    add_norm_rules(rules);
    add_matmul_rules(rules);
    add_convolution_rules(rules);
    add_pool_rules(rules);
    add_index_rules(rules);
    add_gather_rules(rules);
    add_choice_rules(rules);
    add_loss_rules(rules);
    add_attention_rules(rules);
    add_interpolate_rules(rules);
    return rules;
  }();
  return kRules;
}

// Operators whose result may share memory with their first argument.
const std::set<std::string_view>& aliasing() {
  static const std::set<std::string_view> kNames = {"view",
                                                    "reshape",
                                                    "permute",
                                                    "transpose",
                                                    "t",
                                                    "numpy_T",
                                                    "unsqueeze",
                                                    "squeeze",
                                                    "expand",
                                                    "expand_as",
                                                    "flatten",
                                                    "detach",
                                                    "alias",
                                                    "contiguous",
                                                    "unflatten",
                                                    "dropout",
                                                    "slice",
                                                    "select",
                                                    "narrow",
                                                    "to",
                                                    "view_as",
                                                    "split",
                                                    "chunk",
                                                    "unbind",
                                                    "mT",
                                                    "type_as",
                                                    "movedim",
                                                    "swapaxes",
                                                    "detach_",
                                                    "T",
                                                    "adjoint",
                                                    "broadcast_to",
                                                    "feature_dropout",
                                                    "alpha_dropout",
                                                    "float",
                                                    "broadcast_tensors",
                                                    "split_with_sizes",
                                                    "reshape_as",
                                                    "_to_copy",
                                                    "unsafe_chunk",
                                                    "unsafe_split",
                                                    "moveaxis",
                                                    "diagonal",
                                                    "unfold",
                                                    "half",
                                                    "bfloat16",
                                                    "double",
                                                    "long",
                                                    "int"};
  return kNames;
}

void collect_ids(const Argument& argument, std::vector<int>& ids) {
  if (const auto* id = argument.as<ValueId>()) ids.push_back(id->id);
  if (const auto* list = argument.as<ArgumentList>()) {
    for (const Argument& item : *list) collect_ids(item, ids);
  }
}

std::vector<int> used_ids(const kvgen::Node& node) {
  std::vector<int> ids;
  for (const Argument& argument : node.args) collect_ids(argument, ids);
  for (const auto& [name, argument] : node.kwargs) collect_ids(argument, ids);
  return ids;
}

class Lowering {
 public:
  explicit Lowering(const Task& task) : task_(task), b_(task) {}

  std::variant<Program, std::string> run() {
    if (task_.variants.empty()) return std::string("the task has no variant");
    const Graph& graph = task_.variants[0].graph;
    bind_inputs(graph);
    find_last_uses(graph);
    for (std::size_t n = 0; n < graph.nodes.size() && !b_.declined(); ++n) lower_node(n);
    for (const GraphOutput& output : graph.outputs) {
      const auto found = values_.find(output.value.id);
      const int id = found == values_.end() ? b_.decline("an output has no value") : found->second;
      if (id >= 0 && b_.dtype(id) != output.spec.dtype) b_.decline("an output changes its dtype");
      b_.output(output.spec.name, id);
    }
    if (b_.declined()) return *b_.declined();
    return b_.take();
  }

 private:
  void bind_inputs(const Graph& graph) {
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const GraphInput& input = graph.inputs[i];
      Sizes shape;
      for (std::size_t d = 0; d < input.spec.shape.size(); ++d) {
        Size size{"dim(" + input.spec.name + ", " + std::to_string(d) + ")", {}};
        for (const Variant& variant : task_.variants) {
          if (i >= variant.graph.inputs.size() || d >= variant.graph.inputs[i].spec.shape.size()) {
            b_.decline("the variants' inputs differ in structure");
            return;
          }
          size.at.push_back(variant.graph.inputs[i].spec.shape[d]);
        }
        shape.push_back(size.all_ones() ? b_.number(1) : std::move(size));
      }
      values_[input.value.id] = b_.tensor(input.spec.name, input.spec.dtype, std::move(shape));
      storage_[input.value.id] = input.value.id;
    }
  }

  void find_last_uses(const Graph& graph) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const int id : used_ids(graph.nodes[n])) last_use_[id] = n;
    }
    for (const GraphOutput& output : graph.outputs) last_use_[output.value.id] = graph.nodes.size();
  }

  bool agree(const std::vector<const kvgen::Node*>& nodes) const {
    return std::all_of(nodes.begin(), nodes.end(), [&](const kvgen::Node* node) {
      return node->op == nodes[0]->op && node->overload == nodes[0]->overload &&
             node->outputs == nodes[0]->outputs && used_ids(*node) == used_ids(*nodes[0]);
    });
  }

  void lower_node(std::size_t n) {
    std::vector<const kvgen::Node*> nodes;
    for (const Variant& variant : task_.variants) {
      if (variant.graph.nodes.size() != task_.variants[0].graph.nodes.size()) break;
      nodes.push_back(&variant.graph.nodes[n]);
    }
    if (nodes.size() != task_.variants.size() || !agree(nodes)) {
      b_.decline("the variants' graphs differ in structure");
      return;
    }
    const Call call(nodes, static_cast<int>(n));
    if (call.first().outputs.empty()) {
      if (call.short_op() != "_assert_tensor_metadata") b_.decline("no rule for " + call.op());
      return;
    }
    std::string name = call.short_op();
    auto rule = all_rules().find(name);
    const bool in_place = rule == all_rules().end() && name.size() > 1 && name.back() == '_';
    if (in_place) {
      name.pop_back();
      rule = all_rules().find(name);
    }
    if (rule == all_rules().end() || !call.op().starts_with("aten::") ||
        call.overload().ends_with("out")) {
      b_.decline("no rule for " + call.first().full_name());
      return;
    }
    Scope scope(b_, call, values_);
    std::vector<int> results = rule->second(scope);
    if (in_place && !results.empty() && results[0] >= 0) rebind(call, n, results[0]);
    bind_results(call, results, name, in_place);
  }

  void bind_results(const Call& call, const std::vector<int>& results, const std::string& name,
                    bool in_place) {
    const auto& outputs = call.first().outputs;
    const std::vector<int> used = used_ids(call.first());
    for (std::size_t i = 0; i < outputs.size() && !b_.declined(); ++i) {
      if (!outputs[i] || !last_use_.contains(outputs[i]->id)) continue;
      const int id = outputs[i]->id;
      if (i >= results.size() || results[i] < 0) {
        b_.decline("no rule for result " + std::to_string(i) + " of " + call.op());
        return;
      }
      if (!as_recorded(call, i, results[i])) {
        b_.decline("no rule for this use of " + call.first().full_name());
        return;
      }
      values_[id] = results[i];
      const bool shares = (in_place || aliasing().contains(name)) && !used.empty();
      storage_[id] = shares ? storage_[used[0]] : id;
    }
  }

  // The captured shapes are the check on every rule.
  bool as_recorded(const Call& call, std::size_t output, int id) {
    const auto shape = call.shape(output);
    if (!shape || shape->size() != b_.shape(id).size()) return false;
    for (std::size_t d = 0; d < shape->size(); ++d) {
      if (b_.shape(id)[d].at != (*shape)[d]) return false;
    }
    return call.dtype(output) == b_.dtype(id);
  }

  // An operator changed its first argument: every name of that value now means
  // the result. Other views of the same memory must not be read afterwards.
  void rebind(const Call& call, std::size_t n, int& result) {
    const std::vector<int> used = used_ids(call.first());
    if (used.empty()) return;
    const int self = used[0];
    const int old = values_[self];
    result = b_.cast(result, b_.dtype(old));
    if (result < 0) return;
    if (!same(b_.shape(result), b_.shape(old))) {
      b_.decline("no rule for this use of " + call.op());
      return;
    }
    for (auto& [id, value] : values_) {
      if (storage_[id] != storage_[self]) continue;
      if (value == old) {
        value = result;
      } else if (last_use_.contains(id) && last_use_[id] > n) {
        b_.decline("no rule for " + call.op() + " on a view that is read later");
        return;
      }
    }
  }

  const Task& task_;
  Builder b_;
  std::unordered_map<int, int> values_;
  std::unordered_map<int, int> storage_;
  std::unordered_map<int, std::size_t> last_use_;
};

}  // namespace

int Scope::tensor(std::size_t position, std::string_view name) {
  const Argument* argument = call.argument(position, name);
  const ValueId* id = argument == nullptr ? nullptr : argument->as<ValueId>();
  if (id == nullptr) return unusual();
  const auto found = values_.find(id->id);
  return found == values_.end() ? unusual() : found->second;
}

int Scope::operand(std::size_t position, std::string_view name, std::optional<double> fallback) {
  const Argument* argument = call.argument(position, name);
  if (argument != nullptr && argument->as<ValueId>() != nullptr) return tensor(position, name);
  return b.scalar(call, position, name, fallback);
}

std::vector<int> Scope::tensors(std::size_t position, std::string_view name) {
  std::vector<int> nodes = tensors_or_none(position, name);
  for (const int node : nodes) {
    if (node < 0) unusual();
  }
  return nodes;
}

std::vector<int> Scope::tensors_or_none(std::size_t position, std::string_view name) {
  const Argument* argument = call.argument(position, name);
  const auto* list = argument == nullptr ? nullptr : argument->as<ArgumentList>();
  std::vector<int> nodes;
  if (list == nullptr) {
    unusual();
    return nodes;
  }
  for (const Argument& item : *list) {
    if (item.is_null()) {
      nodes.push_back(-1);
      continue;
    }
    const auto* id = item.as<ValueId>();
    const auto found = id == nullptr ? values_.end() : values_.find(id->id);
    nodes.push_back(found == values_.end() ? unusual() : found->second);
  }
  return nodes;
}

std::optional<Sizes> Scope::sizes(std::size_t position, std::string_view name, std::size_t count,
                                  const Sizes& fallback) {
  const Argument* argument = call.argument(position, name);
  const auto* list = argument == nullptr ? nullptr : argument->as<ArgumentList>();
  if (argument == nullptr || (list != nullptr && list->empty())) {
    if (fallback.size() != count) return std::nullopt;
    return fallback;
  }
  if (list != nullptr && list->size() != 1 && list->size() != count) return std::nullopt;
  Sizes result;
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = b.size_argument(call, position, name, list == nullptr ? -1 : int(i));
    if (!size) return std::nullopt;
    result.push_back(*size);
  }
  return result;
}

int Scope::unusual() { return b.decline("no rule for this use of " + call.first().full_name()); }

std::variant<Program, std::string> lower(const Task& task) { return Lowering(task).run(); }

}  // namespace kvgen::builtin
