#include "kvgen/graph/check.h"

#include <algorithm>
#include <set>

#include "kvgen/graph/values.h"

namespace kvgen {
namespace {

constexpr std::size_t kNodeLimit = 100'000;
constexpr std::int64_t kConstantBytesLimit = 16LL << 20U;
constexpr std::int64_t kElementsLimit = 1LL << 40U;

Error bad(const std::string& where, const std::string& problem) {
  return {Code::kInvalid, where + " " + problem};
}

std::string at(const std::string& where, std::string_view list, std::size_t index) {
  return where + "." + std::string(list) + "[" + std::to_string(index) + "]";
}

std::string shown(ValueId value) { return "%" + std::to_string(value.id); }

// Elements of a shape, nullopt when negative or beyond the limit.
std::optional<std::int64_t> elements(const Shape& shape, std::int64_t limit) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || (extent > 0 && count > limit / extent)) return std::nullopt;
    count *= extent;
  }
  return count;
}

// Values defined so far. In a program a call may give a value again: in-place
// operators return what they wrote.
class Defined {
 public:
  [[nodiscard]] bool has(ValueId value) const { return ids_.contains(value.id); }
  bool add(ValueId value) { return ids_.insert(value.id).second; }

 private:
  std::set<int> ids_;
};

Result<void> check_nodes(const std::vector<Node>& nodes, bool may_redefine, Defined& defined,
                         const std::string& where) {
  if (nodes.size() > kNodeLimit) {
    return bad(where, "has more than " + std::to_string(kNodeLimit) + " calls");
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    const std::string here = at(where, "nodes", i);
    if (!node.op.starts_with("aten::")) return bad(here, "calls " + node.op + ", not aten::");
    if (node.metas.size() != node.outputs.size()) {
      return bad(here, "has as many results as not as descriptions of them");
    }
    for (const auto& meta : node.metas) {
      if (meta && !elements(meta->shape, kElementsLimit)) {
        return bad(here, "has a result whose shape is negative or too large");
      }
    }
    std::optional<ValueId> unknown;
    for_each_value(node, [&](ValueId value) {
      if (!defined.has(value) && !unknown) unknown = value;
    });
    if (unknown) return bad(here, "uses " + shown(*unknown) + " before it is defined");
    for (const auto& out : node.outputs) {
      if (out && !defined.add(*out) && !may_redefine) {
        return bad(here, "defines " + shown(*out) + " again");
      }
    }
  }
  return ok();
}

Result<void> take_name(const std::string& name, std::set<std::string>& names,
                       const std::string& where) {
  if (name.empty()) return bad(where, "has no name");
  if (!names.insert(name).second) return bad(where, "has the name " + name + " of another");
  return ok();
}

const Argument* used_argument(const Graph& graph, const SymbolUse& use) {
  if (use.node < 0 || static_cast<std::size_t>(use.node) >= graph.nodes.size()) return nullptr;
  const Node& node = graph.nodes[static_cast<std::size_t>(use.node)];
  const Argument* argument = nullptr;
  if (use.arg >= 0) {
    if (static_cast<std::size_t>(use.arg) < node.args.size()) {
      argument = &node.args[static_cast<std::size_t>(use.arg)];
    }
  } else {
    for (const auto& [name, value] : node.kwargs) {
      if (name == use.keyword) argument = &value;
    }
  }
  if (argument == nullptr || use.item < 0) return argument;
  const auto* list = argument->as<ArgumentList>();
  if (list == nullptr || static_cast<std::size_t>(use.item) >= list->size()) return nullptr;
  return &(*list)[static_cast<std::size_t>(use.item)];
}

bool same_number(const Argument& argument, const Symbol& symbol) {
  if (const auto* integer = std::get_if<std::int64_t>(&symbol.value)) {
    const auto* found = argument.as<std::int64_t>();
    return found != nullptr && *found == *integer;
  }
  const auto* found = argument.as<double>();
  const double value = std::get<double>(symbol.value);
  return found != nullptr && (*found == value || (*found != *found && value != value));
}

Result<void> check_made(const InitProgram& program, std::set<std::string>& missing,
                        const std::string& where) {
  for (const auto& made : program.made) {
    if (missing.erase(made.name) == 0) {
      return bad(where, "makes " + made.name + ", which the graph does not take from it");
    }
  }
  if (!missing.empty()) return bad(where, "does not make " + *missing.begin());
  return ok();
}

}  // namespace

Result<void> check(const Graph& graph, const std::string& where) {
  Defined defined;
  std::set<std::string> names;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const GraphInput& input = graph.inputs[i];
    const std::string here = at(where, "inputs", i);
    if (input.spec.written()) return bad(here, "has the role of an output");
    if (!defined.add(input.value)) return bad(here, "defines " + shown(input.value) + " again");
    TRY_VOID(take_name(input.spec.name, names, here));
  }
  for (std::size_t i = 0; i < graph.scalars.size(); ++i) {
    TRY_VOID(take_name(graph.scalars[i].name, names, at(where, "scalars", i)));
  }
  TRY_VOID(check_nodes(graph.nodes, false, defined, where));
  if (graph.outputs.empty()) return bad(where, "has no outputs");
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const GraphOutput& output = graph.outputs[i];
    const std::string here = at(where, "outputs", i);
    if (!output.spec.written()) return bad(here, "has the role of an input");
    if (!defined.has(output.value)) {
      return bad(here, "is " + shown(output.value) + ", which nothing defines");
    }
    TRY_VOID(take_name(output.spec.name, names, here));
  }
  return ok();
}

Result<void> check(const InitProgram& program, const std::string& where) {
  Defined defined;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < program.constants.size(); ++i) {
    const auto& constant = program.constants[i];
    const std::string here = at(where, "constants", i);
    if (!defined.add(constant.value)) {
      return bad(here, "defines " + shown(constant.value) + " again");
    }
    const auto count = elements(constant.shape, kConstantBytesLimit);
    if (!count) return bad(here, "has a shape that is negative or too large");
    const std::int64_t wanted = *count * size_of(constant.dtype);
    if (constant.base64.size() != static_cast<std::size_t>((wanted + 2) / 3 * 4)) {
      return bad(here, "does not hold as many bytes as its shape");
    }
    bytes += wanted;
    if (bytes > kConstantBytesLimit) return bad(here, "is too large with those before it");
  }
  TRY_VOID(check_nodes(program.nodes, true, defined, where));
  std::set<std::string> names;
  for (std::size_t i = 0; i < program.made.size(); ++i) {
    const auto& made = program.made[i];
    const std::string here = at(where, "made", i);
    if (!defined.has(made.value)) {
      return bad(here, "is " + shown(made.value) + ", which nothing defines");
    }
    TRY_VOID(take_name(made.name, names, here));
  }
  return ok();
}

Result<void> check(const Variant& variant, const std::string& where) {
  TRY_VOID(check(variant.graph, where + ".graph"));
  TRY_VOID(check(variant.init, where + ".init"));
  TRY_VOID(check(variant.inputs, where + ".inputs"));
  std::set<std::string> state;
  std::set<std::string> given;
  for (const GraphInput& input : variant.graph.inputs) {
    (input.spec.role == TensorRole::kInput ? given : state).insert(input.spec.name);
  }
  TRY_VOID(check_made(variant.init, state, where + ".init"));
  TRY_VOID(check_made(variant.inputs, given, where + ".inputs"));

  std::set<std::string> names;
  for (const TensorSpec& spec : variant.tensors()) names.insert(spec.name);
  for (std::size_t i = 0; i < variant.symbols.size(); ++i) {
    const Symbol& symbol = variant.symbols[i];
    const std::string here = at(where, "symbols", i);
    TRY_VOID(take_name(symbol.name, names, here));
    for (const SymbolUse& use : symbol.uses) {
      const Argument* argument = used_argument(variant.graph, use);
      if (argument == nullptr || !same_number(*argument, symbol)) {
        return bad(here, "(" + symbol.name + ") is not the argument it points at");
      }
    }
  }
  return ok();
}

Result<void> check_variants_agree(const Task& task, const std::string& where) {
  if (task.variants.empty()) return bad(where, "has no variants");
  const Variant& first = task.variants.front();
  std::set<std::string> names;
  for (std::size_t i = 0; i < task.variants.size(); ++i) {
    const Variant& variant = task.variants[i];
    const std::string here = where + ": variants[" + std::to_string(i) + "]";
    TRY_VOID(take_name(variant.name, names, here));
    const bool same_calls = std::equal(
        variant.graph.nodes.begin(), variant.graph.nodes.end(), first.graph.nodes.begin(),
        first.graph.nodes.end(),
        [](const Node& a, const Node& b) { return a.op == b.op && a.overload == b.overload; });
    if (!same_calls) return bad(here, "calls other operators than " + first.name);
    const bool same_symbols = std::equal(
        variant.symbols.begin(), variant.symbols.end(), first.symbols.begin(), first.symbols.end(),
        [](const Symbol& a, const Symbol& b) { return a.name == b.name; });
    if (!same_symbols) return bad(here, "has other symbols than " + first.name);
    const auto mine = variant.tensors();
    const auto theirs = first.tensors();
    const bool same_tensors = std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                                         [](const TensorSpec& a, const TensorSpec& b) {
                                           return a.name == b.name && a.role == b.role &&
                                                  a.dtype == b.dtype &&
                                                  a.shape.size() == b.shape.size();
                                         });
    if (!same_tensors) return bad(here, "has other tensors than " + first.name);
  }
  return ok();
}

}  // namespace kvgen
