#include "kvgen/export/extension.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "export/launcher.h"
#include "export/support_text.h"
#include "kvgen/base/hash.h"

namespace kvgen {
namespace {

constexpr const char* kIncludes = R"(
#define HIP_ENABLE_WARP_SYNC_BUILTINS
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <hip/hip_cooperative_groups.h>
#if __has_include(<hip/hip_bf16.h>)
#include <hip/hip_bf16.h>
#endif
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/extension.h>

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

)";

std::string prologue(const Task& task, const Attempt& attempt, const Build& build) {
  std::string out = "// " + task.name + ": exported by kvgen.\n";
  out += "// Task " + task.hash + "\n// Candidate " + attempt.candidate->hash + "\n";
  out += "// Verdict: " + std::string(to_string(attempt.outcome.kind)) +
         (attempt.verdict ? " on " + attempt.verdict->verified_on : "") + "; compiled there by " +
         build.compiler + "\n";
  out += "// On ROCm: torch.utils.cpp_extension.load(name, sources=[this file]).forward(...)\n";
  return out + kIncludes;
}

// Macros of the kernels' text must not reach what follows it. Those that a kernel's name
// is written with stay.
std::string undefine_macros(const std::string& source, const std::vector<std::string>& kernels) {
  static const std::regex kDefine(R"(^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*))",
                                  std::regex::ECMAScript | std::regex::multiline);
  std::string all;
  for (const std::string& kernel : kernels) all += kernel + " ";
  std::set<std::string> macros;
  for (std::sregex_iterator at(source.begin(), source.end(), kDefine), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (all.find(name) == std::string::npos) macros.insert(name);
  }
  std::string out;
  for (const std::string& macro : macros) out += "#undef " + macro + "\n";
  return out;
}

std::string device_part(const std::string& source, const std::vector<std::string>& kernels) {
  std::string out = "\n// ---- the kernels, as they were verified ----\n\n" + source;
  if (!out.ends_with('\n')) out += '\n';
  out += "\n" + undefine_macros(source, kernels);
  out += "static const void* const kvgen_kernels[] = {\n";
  for (const std::string& kernel : kernels) {
    out += "    reinterpret_cast<const void*>(&" + kernel + "),\n";
  }
  if (kernels.empty()) out += "    nullptr,\n";
  return out + "};\n";
}

std::string integers(const Shape& shape) {
  std::string out;
  for (const std::int64_t extent : shape) {
    out +=
        (out.empty() ? "" : ", ") + std::string("Number(INT64_C(") + std::to_string(extent) + "))";
  }
  return out;
}

// Shapes of an output without a formula: those of the variants, by the inputs' dims.
std::string shapes_by_variant(const Task& task, const std::string& output,
                              const std::string& variable, const ExportNames& names) {
  std::string out = "  at::Tensor " + variable + ";\n";
  DType dtype = DType::kFloat32;
  std::string otherwise;
  for (const Variant& variant : task.variants) {
    std::string condition;
    Shape shape;
    for (const TensorSpec& spec : variant.tensors()) {
      if (spec.name == output) {
        shape = spec.shape;
        dtype = spec.dtype;
      }
      if (spec.written()) continue;
      std::string sizes;
      for (const std::int64_t extent : spec.shape) {
        sizes += (sizes.empty() ? "" : ", ") + std::to_string(extent);
      }
      condition += (condition.empty() ? "" : " && ") + *names.tensor(spec.name) +
                   ".sizes().equals({" + sizes + "})";
    }
    if (condition.empty()) condition = "true";
    out += "  " + otherwise + "if (" + condition + ") {\n    " + variable + " = made({" +
           integers(shape) + "}, " + scalar_type(dtype) + ", device);\n  }";
    otherwise = "else ";
    out += "\n";
  }
  out += "  TORCH_CHECK(" + variable + ".defined(), \"the shape of " + output +
         " is known for recorded shapes only\");\n";
  return out;
}

struct Signature {
  std::string parameters;
  std::string bindings;  // of pybind
};

Signature signature_of(const Variant& variant, const ExportNames& names) {
  Signature out;
  const auto add = [&](const std::string& parameter, const std::string& binding) {
    out.parameters += (out.parameters.empty() ? "" : ", ") + parameter;
    out.bindings += ", " + binding;
  };
  for (const TensorSpec& spec : variant.tensors()) {
    if (spec.written()) continue;
    const std::string name = *names.tensor(spec.name);
    add("at::Tensor " + name, "pybind11::arg(\"" + name.substr(2) + "\")");
  }
  for (const Symbol& symbol : variant.symbols) {
    const std::string& name = names.variable(symbol.name);
    const bool real = std::holds_alternative<double>(symbol.value);
    std::string value = real ? literal(std::get<double>(symbol.value)).text
                             : std::to_string(std::get<std::int64_t>(symbol.value)) + "LL";
    if (real && std::isinf(std::get<double>(symbol.value))) {
      value = std::string(std::get<double>(symbol.value) < 0 ? "-" : "") +
              "std::numeric_limits<double>::infinity()";
    }
    add(std::string(real ? "double" : "std::int64_t") + " value_of_" + name,
        "pybind11::arg(\"" + name.substr(2) + "\") = " + value);
  }
  return out;
}

bool uses(const Plan& plan, const std::string& name) {
  return plan.normalised.dump().find(name) != std::string::npos;
}

std::string device_numbers(const Plan& plan, const ExportNames& names) {
  constexpr std::pair<const char*, const char*> kAttributes[] = {
      {"wave", "hipDeviceAttributeWarpSize"},
      {"device.cus", "hipDeviceAttributeMultiprocessorCount"},
      {"device.lds", "hipDeviceAttributeMaxSharedMemoryPerBlock"}};
  std::string out;
  for (const auto& [name, attribute] : kAttributes) {
    if (!uses(plan, name)) continue;
    out += "  [[maybe_unused]] const Number " + names.variable(name) + " = attribute(" + attribute +
           ", device);\n";
  }
  return out;
}

std::string host_part(const Task& task, const Plan& plan, const Build& build, ExportNames& names,
                      const Signature& signature) {
  const Variant& variant = task.variants.front();
  std::vector<TensorSpec> arguments;
  std::vector<TensorSpec> in_place;
  for (const TensorSpec& spec : variant.tensors()) {
    if (!spec.written()) arguments.push_back(spec);
    if (spec.role == TensorRole::kInPlace) in_place.push_back(spec);
  }
  std::vector<std::string> results;
  std::string body;
  const std::string device = arguments.empty()
                                 ? "at::Device(at::kCUDA)"
                                 : *names.tensor(arguments.front().name) + ".device()";
  body += "  const at::Device device = " + device + ";\n";
  body += "  const c10::DeviceGuard guard(device);\n";
  body += "  const hipStream_t stream = stream_of(device);\n";
  for (const TensorSpec& spec : in_place) {
    const std::string original = spec.name.substr(0, spec.name.rfind(".out"));
    if (const auto name = names.tensor(original)) {
      body += "  const at::Tensor updated_" + *name + " = " + *name + ";\n";
    }
  }
  for (const TensorSpec& spec : arguments) {
    const std::string name = *names.tensor(spec.name);
    body += "  " + name + " = input(" + name + ", \"" + spec.name + "\", " +
            scalar_type(spec.dtype) + ", " + std::to_string(spec.shape.size()) + ", device);\n";
  }
  for (const Symbol& symbol : variant.symbols) {
    const std::string& name = names.variable(symbol.name);
    body += "  [[maybe_unused]] const Number " + name + "(value_of_" + name + ");\n";
  }
  body += device_numbers(plan, names);
  for (const OutputShape& shape : output_shapes(task, names)) {
    const std::string name = *names.tensor(shape.tensor);
    results.push_back(name);
    if (!shape.known) {
      body += shapes_by_variant(task, shape.tensor, name, names);
      continue;
    }
    std::string extents;
    for (const std::string& one : shape.extents) extents += (extents.empty() ? "" : ", ") + one;
    body += "  const at::Tensor " + name + " = made({" + extents + "}, " +
            scalar_type(names.dtype(shape.tensor)) + ", device);\n";
  }
  for (const TensorSpec& spec : in_place) {
    const std::string original = spec.name.substr(0, spec.name.rfind(".out"));
    body += "  const at::Tensor " + *names.tensor(spec.name) + " = " +
            names.tensor(original).value_or("?") + ".clone();\n";
  }
  body += launcher_text(plan, variant, build, names);
  for (const TensorSpec& spec : in_place) {
    const std::string original = spec.name.substr(0, spec.name.rfind(".out"));
    body += "  updated_" + names.tensor(original).value_or("?") + ".copy_(" +
            *names.tensor(spec.name) + ");\n";
  }
  std::string type = "at::Tensor";
  std::string result = results.empty() ? "" : results.front();
  if (results.empty()) type = "void";
  if (results.size() > 1) {
    type = "std::tuple<";
    result = "std::make_tuple(";
    for (std::size_t i = 0; i < results.size(); ++i) {
      type += i == 0 ? "at::Tensor" : ", at::Tensor";
      result += (i == 0 ? "" : ", ") + results[i];
    }
    type += ">";
    result += ")";
  }
  body += "  return" + (result.empty() ? "" : " " + result) + ";\n";
  return "\n// ---- the launcher, from the plan ----\n\nnamespace kvgen_launch {\n\nstatic " +
         type + " forward(" + signature.parameters + ") {\n" + body +
         "}\n\n}  // namespace kvgen_launch\n";
}

}  // namespace

Result<Extension> make_extension(const Task& task, const Attempt& attempt) {
  const auto unfit = [&](const std::string& why) {
    return Error(Code::kInvalid, "attempt " + short_id(attempt.id()) + " of " + task.name +
                                     " cannot be exported: " + why);
  };
  if (!attempt.candidate) return unfit("it has no kernel");
  if (attempt.builds.empty() || !attempt.builds.front().usable()) {
    return unfit("it was not compiled");
  }
  if (task.variants.empty()) return unfit("its task has no variant");
  Checked<Plan> plan = parse_plan(attempt.candidate->plan_text);
  if (!plan.ok()) return unfit(plan.outcome().reason);

  const Build& build = attempt.builds.front();
  const std::vector<std::string> kernels = kernels_of(*plan);
  for (const std::string& kernel : kernels) {
    if (build.kernel(kernel) == nullptr) return unfit("its build lacks the kernel " + kernel);
  }
  ExportNames names(*plan, task.variants.front());
  const Signature signature = signature_of(task.variants.front(), names);
  Extension out;
  out.prologue = prologue(task, attempt, build);
  out.support = kSupportText;
  out.device = device_part(
      build.device_source.empty() ? attempt.candidate->source : build.device_source, kernels);
  out.host = host_part(task, *plan, build, names, signature);
  out.module =
      "\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n  m.def(\"forward\", "
      "&kvgen_launch::forward" +
      signature.bindings + ");\n}\n";
  return out;
}

}  // namespace kvgen
