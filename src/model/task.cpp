#include "kvgen/model/task.h"

#include <algorithm>

#include "kvgen/base/hash.h"

namespace kvgen {
namespace {

Json content_of(const Task& task) {
  Json json = to_json(task);
  for (const char* derived : {"hash", "structural_hash", "marks", "captured_by"}) {
    json.erase(derived);
  }
  return json;
}

Json encode_use(const SymbolUse& use) {
  Json json = {{"node", use.node}};
  if (use.arg >= 0) json["arg"] = use.arg;
  if (use.arg < 0) json["kw"] = use.keyword;
  if (use.item >= 0) json["item"] = use.item;
  return json;
}

Result<SymbolUse> use_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  SymbolUse use;
  use.node = fields.get<int>("node");
  use.arg = fields.get_or<int>("arg", -1);
  use.keyword = fields.get_or<std::string>("kw", "");
  use.item = fields.get_or<int>("item", -1);
  if ((use.arg < 0) == use.keyword.empty()) fields.fail("arg", "or kw must be given, not both");
  TRY_VOID(fields.finish());
  return use;
}

}  // namespace

std::vector<TensorSpec> Variant::tensors() const {
  std::vector<TensorSpec> specs;
  for (const TensorRole role :
       {TensorRole::kInput, TensorRole::kParameter, TensorRole::kBuffer, TensorRole::kConstant}) {
    for (const GraphInput& input : graph.inputs) {
      if (input.spec.role == role) specs.push_back(input.spec);
    }
  }
  for (const GraphOutput& output : graph.outputs) specs.push_back(output.spec);
  return specs;
}

const Variant* Task::variant(std::string_view wanted) const {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const Variant& v) { return v.name == wanted; });
  return found == variants.end() ? nullptr : &*found;
}

void seal(Task& task) { task.hash = sha256_of(content_of(task)); }

Json to_json(const Variant& variant) {
  Json symbols = Json::array();
  for (const Symbol& symbol : variant.symbols) {
    Json value;
    std::visit([&](auto v) { value = to_json(Argument{v}); }, symbol.value);
    Json uses = Json::array();
    for (const SymbolUse& use : symbol.uses) uses.push_back(encode_use(use));
    symbols.push_back({{"name", symbol.name}, {"value", value}, {"uses", uses}});
  }
  return {{"name", variant.name},
          {"graph", to_json(variant.graph)},
          {"init", to_json(variant.init)},
          {"inputs", to_json(variant.inputs)},
          {"symbols", symbols},
          {"sizes", variant.sizes}};
}

Result<Variant> variant_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Variant variant;
  variant.name = fields.get<std::string>("name");
  const Json& graph = fields.object("graph");
  const Json& init = fields.object("init");
  const Json& inputs = fields.object("inputs");
  const Json& symbols = fields.array_or_empty("symbols");
  variant.sizes = fields.get_or<Json>("sizes", Json::object());
  TRY_VOID(fields.finish());
  TRY(variant.graph, graph_from(graph, where + ".graph"));
  TRY(variant.init, init_program_from(init, where + ".init"));
  TRY(variant.inputs, init_program_from(inputs, where + ".inputs"));
  for (const Json& item : symbols) {
    Fields entry(item, where + ".symbols");
    Symbol symbol;
    symbol.name = entry.get<std::string>("name");
    const Json value = entry.get<Json>("value");
    const Json& uses = entry.array_or_empty("uses");
    TRY_VOID(entry.finish());
    for (const Json& use : uses) {
      TRY(SymbolUse decoded, use_from(use, where + ".symbols." + symbol.name));
      symbol.uses.push_back(std::move(decoded));
    }
    TRY(const Argument argument, argument_from(value, where + ".symbols." + symbol.name));
    if (const auto* integer = argument.as<std::int64_t>()) {
      symbol.value = *integer;
    } else if (const auto* real = argument.as<double>()) {
      symbol.value = *real;
    } else {
      return Error(Code::kInvalid, where + ".symbols." + symbol.name + " must be a number");
    }
    variant.symbols.push_back(std::move(symbol));
  }
  return variant;
}

Json to_json(const Task& task) {
  Json variants = Json::array();
  for (const Variant& variant : task.variants) variants.push_back(to_json(variant));
  return {{"schema", kTaskSchema},
          {"name", task.name},
          {"hash", task.hash},
          {"structural_hash", task.structural_hash},
          {"entry", task.entry},
          {"source", task.source},
          {"license", task.license},
          {"origin", task.origin},
          {"captured_by", task.captured_by},
          {"variants", variants},
          {"marks", task.marks},
          {"notes", task.notes}};
}

Result<Task> task_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  const auto schema = fields.get<int>("schema");
  if (!fields.failed() && schema != kTaskSchema) {
    return Error(Code::kInvalid, where + ": schema " + std::to_string(schema) +
                                     " is not the schema " + std::to_string(kTaskSchema) +
                                     " that this kvgen reads; ingest the source again");
  }
  Task task;
  task.name = fields.get<std::string>("name");
  const auto stored_hash = fields.get<std::string>("hash");
  task.structural_hash = fields.get_or<std::string>("structural_hash", "");
  task.entry = fields.get<std::string>("entry");
  task.source = fields.get<std::string>("source");
  task.license = fields.get_or<std::string>("license", "");
  task.origin = fields.get_or<std::string>("origin", "");
  task.captured_by = fields.get_or<Json>("captured_by", Json::object());
  const Json& variants = fields.array("variants");
  task.marks = fields.get_or<std::vector<std::string>>("marks", {});
  task.notes = fields.get_or<std::vector<std::string>>("notes", {});
  TRY_VOID(fields.finish());
  for (std::size_t i = 0; i < variants.size(); ++i) {
    TRY(Variant variant,
        variant_from(variants[i], where + ": variants[" + std::to_string(i) + "]"));
    task.variants.push_back(std::move(variant));
  }
  if (task.variants.empty()) return Error(Code::kInvalid, where + ": has no variants");
  seal(task);
  if (task.hash != stored_hash) {
    return Error(Code::kInvalid, where +
                                     ": the content does not fit its hash; it was edited or "
                                     "torn, ingest the source again");
  }
  return task;
}

}  // namespace kvgen
