#include "kvgen/model/graph.h"

#include <cmath>
#include <limits>

namespace kvgen {
namespace {

constexpr int kLargestValueId = 1 << 20;
constexpr int kArgumentDepth = 8;
constexpr auto kLargestInteger =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

Json encode_list(const std::vector<Argument>& list) {
  Json out = Json::array();
  for (const Argument& item : list) out.push_back(to_json(item));
  return out;
}

struct Encoder {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(bool v) const { return v; }
  Json operator()(std::int64_t v) const { return v; }
  Json operator()(double v) const {
    if (std::isfinite(v)) return v;
    return {{"f", std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf"}};
  }
  Json operator()(const std::string& v) const { return {{"s", v}}; }
  Json operator()(ValueId v) const { return {{"t", v.id}}; }
  Json operator()(const DTypeArgument& v) const { return {{"dtype", v.name}}; }
  Json operator()(const DeviceArgument& v) const { return {{"device", v.name}}; }
  Json operator()(const LayoutArgument& v) const { return {{"layout", v.name}}; }
  Json operator()(const MemoryFormatArgument& v) const { return {{"mf", v.name}}; }
  Json operator()(const ArgumentList& v) const { return encode_list(v); }
};

Error bad(const std::string& where, std::string_view problem) {
  return {Code::kInvalid, where + " " + std::string(problem)};
}

Result<ValueId> value_id_from(const Json& json, const std::string& where) {
  if (!json.is_number_integer() || json.get<std::int64_t>() < 0 ||
      json.get<std::int64_t>() > kLargestValueId) {
    return bad(where, "must be a value id");
  }
  return ValueId{json.get<int>()};
}

Result<Argument> tagged_from(const Json& json, const std::string& where) {
  if (json.size() != 1) return bad(where, "must have one tag");
  const std::string& tag = json.begin().key();
  const Json& inner = json.begin().value();
  if (tag == "t") {
    TRY(const ValueId id, value_id_from(inner, where));
    return Argument{id};
  }
  if (!inner.is_string()) return bad(where, "must hold text");
  const auto text = inner.get<std::string>();
  if (tag == "s") return Argument{text};
  if (tag == "dtype") return Argument{DTypeArgument{text}};
  if (tag == "device") return Argument{DeviceArgument{text}};
  if (tag == "layout") return Argument{LayoutArgument{text}};
  if (tag == "mf") return Argument{MemoryFormatArgument{text}};
  if (tag == "f") {
    if (text == "inf") return Argument{std::numeric_limits<double>::infinity()};
    if (text == "-inf") return Argument{-std::numeric_limits<double>::infinity()};
    if (text == "nan") return Argument{std::numeric_limits<double>::quiet_NaN()};
  }
  return bad(where, "has the unknown tag " + tag);
}

Result<Argument> argument_at_depth(const Json& json, const std::string& where, int depth) {
  if (depth > kArgumentDepth) return bad(where, "is nested too deep");
  if (json.is_null()) return Argument{};
  if (json.is_boolean()) return Argument{json.get<bool>()};
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > kLargestInteger) {
    return bad(where, "does not fit 64 bits");
  }
  if (json.is_number_integer()) return Argument{json.get<std::int64_t>()};
  if (json.is_number()) return Argument{json.get<double>()};
  if (json.is_object()) return tagged_from(json, where);
  if (!json.is_array()) return bad(where, "is not an argument");
  ArgumentList list;
  for (const Json& item : json) {
    TRY(Argument element, argument_at_depth(item, where, depth + 1));
    list.push_back(std::move(element));
  }
  return Argument{std::move(list)};
}

Json to_json(const std::optional<ValueMeta>& meta) {
  if (!meta) return nullptr;
  return {{"dtype", to_string(meta->dtype)}, {"shape", meta->shape}};
}

Result<std::optional<ValueMeta>> meta_from(const Json& json, const std::string& where) {
  if (json.is_null()) return std::optional<ValueMeta>();
  Fields fields(json, where);
  ValueMeta meta;
  const auto dtype = dtype_from(fields.get<std::string>("dtype"));
  meta.shape = fields.get<Shape>("shape");
  TRY_VOID(fields.finish());
  if (!dtype) return std::optional<ValueMeta>();  // complex: the executor needs no meta
  meta.dtype = *dtype;
  return std::optional<ValueMeta>(std::move(meta));
}

template <class T>
Json encode_all(const std::vector<T>& items) {
  Json out = Json::array();
  for (const T& item : items) out.push_back(to_json(item));
  return out;
}

std::string at(const std::string& where, std::string_view list, std::size_t index) {
  return where + "." + std::string(list) + "[" + std::to_string(index) + "]";
}

Result<std::vector<Node>> nodes_from(const Json& array, const std::string& where) {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < array.size(); ++i) {
    TRY(Node node, node_from(array[i], at(where, "nodes", i)));
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace

Json to_json(const Argument& argument) { return std::visit(Encoder{}, argument.value); }

Result<Argument> argument_from(const Json& json, const std::string& where) {
  return argument_at_depth(json, where, 0);
}

Json to_json(const Node& node) {
  Json kwargs = Json::object();
  for (const auto& [name, value] : node.kwargs) kwargs[name] = to_json(value);
  Json outputs = Json::array();
  for (const auto& out : node.outputs) outputs.push_back(out ? Json(out->id) : Json(nullptr));
  Json metas = Json::array();
  for (const auto& meta : node.metas) metas.push_back(to_json(meta));
  Json json = {{"op", node.op}, {"ov", node.overload}, {"args", encode_list(node.args)},
               {"kw", kwargs},  {"out", outputs},      {"meta", metas}};
  if (node.returns_list) json["list"] = true;
  return json;
}

Result<Node> node_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Node node;
  node.op = fields.get<std::string>("op");
  node.overload = fields.get<std::string>("ov");
  const Json& args = fields.array("args");
  const Json& kwargs = fields.object("kw");
  const Json& outputs = fields.array("out");
  const Json& metas = fields.array_or_empty("meta");
  node.returns_list = fields.get_or<bool>("list", false);
  TRY_VOID(fields.finish());
  for (std::size_t i = 0; i < args.size(); ++i) {
    TRY(Argument value, argument_from(args[i], at(where, "args", i)));
    node.args.push_back(std::move(value));
  }
  for (const auto& [name, value] : kwargs.items()) {
    TRY(Argument argument, argument_from(value, where + ".kw." + name));
    node.kwargs.emplace_back(name, std::move(argument));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].is_null()) {
      node.outputs.emplace_back();
      continue;
    }
    TRY(const ValueId id, value_id_from(outputs[i], at(where, "out", i)));
    node.outputs.emplace_back(id);
  }
  for (std::size_t i = 0; i < metas.size(); ++i) {
    TRY(auto meta, meta_from(metas[i], at(where, "meta", i)));
    node.metas.push_back(std::move(meta));
  }
  node.metas.resize(node.outputs.size());
  return node;
}

Json to_json(const Graph& graph) {
  Json inputs = Json::array();
  for (const GraphInput& input : graph.inputs) {
    inputs.push_back({{"id", input.value.id}, {"spec", to_json(input.spec)}});
  }
  Json scalars = Json::array();
  for (const GraphScalar& scalar : graph.scalars) {
    scalars.push_back({{"name", scalar.name}, {"value", to_json(scalar.value)}});
  }
  Json outputs = Json::array();
  for (const GraphOutput& output : graph.outputs) {
    outputs.push_back({{"id", output.value.id}, {"spec", to_json(output.spec)}});
  }
  return {{"inputs", inputs},
          {"scalars", scalars},
          {"nodes", encode_all(graph.nodes)},
          {"outputs", outputs}};
}

Result<Graph> graph_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Graph graph;
  const Json& inputs = fields.array("inputs");
  const Json& scalars = fields.array_or_empty("scalars");
  const Json& nodes = fields.array("nodes");
  const Json& outputs = fields.array("outputs");
  TRY_VOID(fields.finish());
  const auto boundary = [&](const Json& item, const std::string& place,
                            auto& list) -> Result<void> {
    Fields entry(item, place);
    const auto id = entry.get<int>("id");
    const Json& spec = entry.object("spec");
    TRY_VOID(entry.finish());
    TRY(const ValueId value, value_id_from(id, place + ".id"));
    TRY(TensorSpec tensor, tensor_spec_from(spec, place + ".spec"));
    list.push_back({value, std::move(tensor)});
    return ok();
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TRY_VOID(boundary(inputs[i], at(where, "inputs", i), graph.inputs));
  }
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    Fields entry(scalars[i], at(where, "scalars", i));
    GraphScalar scalar;
    scalar.name = entry.get<std::string>("name");
    const Json value = entry.get<Json>("value");
    TRY_VOID(entry.finish());
    TRY(scalar.value, argument_from(value, at(where, "scalars", i)));
    graph.scalars.push_back(std::move(scalar));
  }
  TRY(graph.nodes, nodes_from(nodes, where));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    TRY_VOID(boundary(outputs[i], at(where, "outputs", i), graph.outputs));
  }
  return graph;
}

Json to_json(const InitProgram& program) {
  Json constants = Json::array();
  for (const auto& constant : program.constants) {
    constants.push_back({{"id", constant.value.id},
                         {"dtype", to_string(constant.dtype)},
                         {"shape", constant.shape},
                         {"base64", constant.base64}});
  }
  Json made = Json::array();
  for (const auto& item : program.made) {
    made.push_back({{"name", item.name}, {"id", item.value.id}});
  }
  return {{"constants", constants}, {"nodes", encode_all(program.nodes)}, {"made", made}};
}

Result<InitProgram> init_program_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  InitProgram program;
  const Json& constants = fields.array_or_empty("constants");
  const Json& nodes = fields.array("nodes");
  const Json& made = fields.array("made");
  TRY_VOID(fields.finish());
  for (std::size_t i = 0; i < constants.size(); ++i) {
    Fields entry(constants[i], at(where, "constants", i));
    InitProgram::Constant constant;
    const auto id = entry.get<int>("id");
    const auto dtype = dtype_from(entry.get<std::string>("dtype"));
    constant.shape = entry.get<Shape>("shape");
    constant.base64 = entry.get<std::string>("base64");
    TRY_VOID(entry.finish());
    if (!dtype) return bad(at(where, "constants", i), "has an unknown dtype");
    constant.dtype = *dtype;
    TRY(constant.value, value_id_from(id, at(where, "constants", i)));
    program.constants.push_back(std::move(constant));
  }
  TRY(program.nodes, nodes_from(nodes, where));
  for (std::size_t i = 0; i < made.size(); ++i) {
    Fields entry(made[i], at(where, "made", i));
    InitProgram::Made item;
    item.name = entry.get<std::string>("name");
    const auto id = entry.get<int>("id");
    TRY_VOID(entry.finish());
    TRY(item.value, value_id_from(id, at(where, "made", i)));
    program.made.push_back(std::move(item));
  }
  return program;
}

}  // namespace kvgen
