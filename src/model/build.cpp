#include "kvgen/model/build.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kvgen {
namespace {

using Element = KernelParameter::Element;
constexpr std::array<std::pair<Element, std::string_view>, 6> kElements = {{
    {Element::kBool, "bool"},
    {Element::kSigned, "signed"},
    {Element::kUnsigned, "unsigned"},
    {Element::kFloating, "floating"},
    {Element::kBFloat16, "bfloat16"},
    {Element::kOpaque, "opaque"},
}};

Json to_json(const KernelParameter& parameter) {
  std::string_view element;
  for (const auto& [value, name] : kElements) {
    if (value == parameter.element) element = name;
  }
  return {{"name", parameter.name},
          {"type", parameter.type},
          {"pointer", parameter.form == KernelParameter::Form::kPointer},
          {"element", element},
          {"element_bytes", parameter.element_bytes},
          {"components", parameter.components},
          {"const", parameter.to_const}};
}

Result<KernelParameter> parameter_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  KernelParameter parameter;
  parameter.name = fields.get<std::string>("name");
  parameter.type = fields.get<std::string>("type");
  parameter.form = fields.get<bool>("pointer") ? KernelParameter::Form::kPointer
                                               : KernelParameter::Form::kScalar;
  const auto element = fields.get<std::string>("element");
  parameter.element_bytes = fields.get<int>("element_bytes");
  parameter.components = fields.get<int>("components");
  parameter.to_const = fields.get<bool>("const");
  TRY_VOID(fields.finish());
  for (const auto& [value, name] : kElements) {
    if (name != element) continue;
    parameter.element = value;
    return parameter;
  }
  return Error(Code::kInvalid, where + ".element is unknown: " + element);
}

Json to_json(const Occupancy& occupancy) {
  return {{"waves", occupancy.waves},
          {"most", occupancy.most},
          {"limited_by", occupancy.limited_by},
          {"threads", occupancy.threads},
          {"dynamic_lds", occupancy.dynamic_lds}};
}

Result<Occupancy> occupancy_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Occupancy occupancy;
  occupancy.waves = fields.get<int>("waves");
  occupancy.most = fields.get<int>("most");
  occupancy.limited_by = fields.get<std::string>("limited_by");
  occupancy.threads = fields.get<int>("threads");
  occupancy.dynamic_lds = fields.get<std::int64_t>("dynamic_lds");
  TRY_VOID(fields.finish());
  return occupancy;
}

constexpr std::array<std::pair<const char*, int InstructionMix::*>, 9> kMix = {{
    {"valu", &InstructionMix::valu},
    {"salu", &InstructionMix::salu},
    {"smem", &InstructionMix::smem},
    {"vmem", &InstructionMix::vmem},
    {"lds", &InstructionMix::lds},
    {"mfma", &InstructionMix::mfma},
    {"branch", &InstructionMix::branch},
    {"waitcnt", &InstructionMix::waitcnt},
    {"other", &InstructionMix::other},
}};

Json to_json(const InstructionMix& mix) {
  Json json = Json::object();
  for (const auto& [name, count] : kMix) json[name] = mix.*count;
  return json;
}

Result<InstructionMix> mix_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  InstructionMix mix;
  for (const auto& [name, count] : kMix) mix.*count = fields.get<int>(name);
  TRY_VOID(fields.finish());
  return mix;
}

Json to_json(const KernelFacts& facts) {
  Json json = {{"vgprs", facts.vgprs},
               {"agprs", facts.agprs},
               {"sgprs", facts.sgprs},
               {"vgpr_spills", facts.vgpr_spills},
               {"sgpr_spills", facts.sgpr_spills},
               {"lds_bytes", facts.lds_bytes},
               {"scratch_bytes", facts.scratch_bytes},
               {"wave_size", facts.wave_size},
               {"max_workgroup", facts.max_workgroup},
               {"kernarg_bytes", facts.kernarg_bytes},
               {"dynamic_stack", facts.dynamic_stack}};
  if (facts.occupancy) json["occupancy"] = to_json(*facts.occupancy);
  if (facts.mix) json["mix"] = to_json(*facts.mix);
  return json;
}

Result<KernelFacts> facts_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  KernelFacts facts;
  facts.vgprs = fields.get<int>("vgprs");
  facts.agprs = fields.get<int>("agprs");
  facts.sgprs = fields.get<int>("sgprs");
  facts.vgpr_spills = fields.get<int>("vgpr_spills");
  facts.sgpr_spills = fields.get<int>("sgpr_spills");
  facts.lds_bytes = fields.get<int>("lds_bytes");
  facts.scratch_bytes = fields.get<int>("scratch_bytes");
  facts.wave_size = fields.get<int>("wave_size");
  facts.max_workgroup = fields.get<int>("max_workgroup");
  facts.kernarg_bytes = fields.get<int>("kernarg_bytes");
  facts.dynamic_stack = fields.get<bool>("dynamic_stack");
  const auto occupancy = fields.maybe<Json>("occupancy");
  const auto mix = fields.maybe<Json>("mix");
  TRY_VOID(fields.finish());
  if (occupancy) {
    TRY(facts.occupancy, occupancy_from(*occupancy, where + ".occupancy"));
  }
  if (mix) {
    TRY(facts.mix, mix_from(*mix, where + ".mix"));
  }
  return facts;
}

}  // namespace

const KernelInfo* Build::kernel(std::string_view expression) const {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const KernelInfo& k) { return k.expression == expression; });
  return found == kernels.end() ? nullptr : &*found;
}

Json to_json(const KernelInfo& kernel) {
  Json parameters = Json::array();
  for (const auto& parameter : kernel.parameters) parameters.push_back(to_json(parameter));
  Json json = {{"expression", kernel.expression},
               {"symbol", kernel.symbol},
               {"line", kernel.line},
               {"parameters", std::move(parameters)},
               {"static_lds", kernel.static_lds},
               {"launch_bound", kernel.launch_bound},
               {"float_atomics", kernel.float_atomics}};
  if (kernel.facts) json["facts"] = to_json(*kernel.facts);
  return json;
}

Result<KernelInfo> kernel_info_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  KernelInfo kernel;
  kernel.expression = fields.get<std::string>("expression");
  kernel.symbol = fields.get<std::string>("symbol");
  kernel.line = fields.get<int>("line");
  const Json& parameters = fields.array("parameters");
  kernel.static_lds = fields.get<int>("static_lds");
  kernel.launch_bound = fields.get<int>("launch_bound");
  kernel.float_atomics = fields.get<bool>("float_atomics");
  const auto facts = fields.maybe<Json>("facts");
  TRY_VOID(fields.finish());
  for (const Json& item : parameters) {
    TRY(KernelParameter parameter, parameter_from(item, where + ".parameters"));
    kernel.parameters.push_back(std::move(parameter));
  }
  if (facts) {
    TRY(kernel.facts, facts_from(*facts, where + ".facts"));
  }
  return kernel;
}

Json to_json(const Build& build) {
  Json kernels = Json::array();
  for (const KernelInfo& kernel : build.kernels) kernels.push_back(to_json(kernel));
  Json json = {{"target", build.target},
               {"compiler", build.compiler},
               {"compiler_version", build.compiler_version},
               {"options_hash", build.options_hash},
               {"diagnostics", build.diagnostics},
               {"kernels", std::move(kernels)},
               {"remarks", build.remarks},
               {"device_source", build.device_source},
               {"tokens_hash", build.tokens_hash},
               {"object_hash", build.object_hash},
               {"object_bytes", build.object_bytes}};
  json["failure"] = build.failure ? to_json(*build.failure) : Json(nullptr);
  if (build.gate_unavailable) json["gate_unavailable"] = *build.gate_unavailable;
  return json;
}

Result<Build> build_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Build build;
  build.target = fields.get<std::string>("target");
  build.compiler = fields.get<std::string>("compiler");
  build.compiler_version = fields.get<std::string>("compiler_version");
  build.options_hash = fields.get<std::string>("options_hash");
  const auto failure = fields.maybe<Json>("failure");
  build.gate_unavailable = fields.maybe<std::string>("gate_unavailable");
  build.diagnostics = fields.get<std::string>("diagnostics");
  const Json& kernels = fields.array("kernels");
  build.remarks = fields.get<std::vector<std::string>>("remarks");
  build.device_source = fields.get<std::string>("device_source");
  build.tokens_hash = fields.get<std::string>("tokens_hash");
  build.object_hash = fields.get<std::string>("object_hash");
  build.object_bytes = fields.get<std::int64_t>("object_bytes");
  TRY_VOID(fields.finish());
  if (failure) {
    TRY(build.failure, outcome_from(*failure, where + ".failure"));
  }
  for (const Json& item : kernels) {
    TRY(KernelInfo kernel, kernel_info_from(item, where + ".kernels"));
    build.kernels.push_back(std::move(kernel));
  }
  return build;
}

}  // namespace kvgen
