#include "kvgen/graph/short_form.h"

#include <cmath>
#include <map>
#include <tuple>

#include "graph/argument_names.h"
#include "kvgen/graph/values.h"

namespace kvgen {
namespace {

using Place = std::tuple<int, int, std::string, int>;  // node, arg, keyword, item

std::string number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  return to_line(Json(value));
}

bool holds_values(const Argument& argument) {
  bool any = false;
  for_each_value(argument, [&](ValueId) { any = true; });
  return any;
}

class Writer {
 public:
  Writer(const Graph& graph, const std::vector<Symbol>& symbols) : graph_(graph) {
    for (const GraphInput& input : graph.inputs) names_[input.value.id] = input.spec.name;
    for (const Symbol& symbol : symbols) {
      for (const SymbolUse& use : symbol.uses) {
        symbols_[{use.node, use.arg, use.keyword, use.item}] = symbol.name;
      }
    }
  }

  std::string text() {
    std::string lines;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      lines += line(static_cast<int>(i), graph_.nodes[i]) + "\n";
    }
    for (const GraphOutput& output : graph_.outputs) {
      lines += output.spec.name + " = " + name(output.value) + " : " +
               type(output.spec.dtype, output.spec.shape) + "\n";
    }
    return lines;
  }

 private:
  static std::string type(DType dtype, const Shape& shape) {
    return std::string(to_string(dtype)) + to_text(shape);
  }

  [[nodiscard]] std::string name(ValueId value) const {
    const auto found = names_.find(value.id);
    return found != names_.end() ? found->second : "%" + std::to_string(value.id);
  }

  [[nodiscard]] std::string list(const ArgumentList& items, const Place& place) const {
    std::string text = "[";
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) text += ", ";
      Place inner = place;
      std::get<3>(inner) = static_cast<int>(i);
      text += argument(items[i], inner);
    }
    return text + "]";
  }

  [[nodiscard]] std::string argument(const Argument& argument, const Place& place) const {
    struct Show {
      const Writer& writer;
      const Place& place;
      std::string operator()(std::monostate) const { return "None"; }
      std::string operator()(bool v) const { return v ? "True" : "False"; }
      std::string operator()(std::int64_t v) const { return std::to_string(v); }
      std::string operator()(double v) const { return number(v); }
      std::string operator()(const std::string& v) const { return to_line(Json(v)); }
      std::string operator()(ValueId v) const { return writer.name(v); }
      std::string operator()(const DTypeArgument& v) const { return v.name; }
      std::string operator()(const DeviceArgument& v) const { return v.name; }
      std::string operator()(const LayoutArgument& v) const { return v.name; }
      std::string operator()(const MemoryFormatArgument& v) const { return v.name; }
      std::string operator()(const ArgumentList& v) const { return writer.list(v, place); }
    };
    std::string text = std::visit(Show{*this, place}, argument.value);
    const auto symbol = symbols_.find(place);
    return symbol == symbols_.end() ? text : text + " {" + symbol->second + "}";
  }

  [[nodiscard]] std::string line(int index, const Node& node) const {
    std::string results;
    std::string types;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (i > 0) results += ", ";
      if (i > 0) types += ", ";
      results += node.outputs[i] ? "%" + std::to_string(node.outputs[i]->id) : "_";
      types += node.metas[i] ? type(node.metas[i]->dtype, node.metas[i]->shape) : "?";
    }
    std::string text = results.empty() ? "" : results + " = ";
    text += node.op.starts_with("aten::") ? node.op.substr(6) : node.op;
    text += "(";
    bool first = true;
    for (std::size_t i = 0; i < node.args.size(); ++i) {
      if (!first) text += ", ";
      first = false;
      if (!holds_values(node.args[i])) {
        const std::string_view named = argument_name(node, i);
        if (!named.empty()) text.append(named).append("=");
      }
      text += argument(node.args[i], {index, static_cast<int>(i), "", -1});
    }
    for (const auto& [keyword, value] : node.kwargs) {
      if (!first) text += ", ";
      first = false;
      text += keyword + "=" + argument(value, {index, -1, keyword, -1});
    }
    text += ")";
    return types.empty() ? text : text + " : " + types;
  }

  const Graph& graph_;
  std::map<int, std::string> names_;
  std::map<Place, std::string> symbols_;
};

}  // namespace

std::string short_form(const Graph& graph, const std::vector<Symbol>& symbols) {
  return Writer(graph, symbols).text();
}

}  // namespace kvgen
