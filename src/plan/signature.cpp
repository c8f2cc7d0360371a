#include "plan/signature.h"

#include <algorithm>

#include "kvgen/plan/resolve.h"
#include "plan/names.h"
#include "plan/suggest.h"
#include "plan/text.h"

namespace kvgen {
namespace {

using Element = KernelParameter::Element;

class Checker {
 public:
  Checker(const Names& names, const Build& build) : names_(names), build_(build) {}

  std::optional<PlanFault> check() {
    steps(names_.plan().prepare, true);
    steps(names_.plan().run, false);
    return fault_;
  }

 private:
  void fail(const std::string& place, std::string message, std::string suggestion = "") {
    if (!fault_) fault_ = PlanFault{place, std::move(message), std::move(suggestion)};
  }

  void steps(const std::vector<PlanStep>& list, bool preparing) {
    for (const PlanStep& step : list) {
      if (fault_) return;
      if (const auto* launch = std::get_if<PlanLaunch>(&step.what)) {
        check_launch(*launch, step.place, preparing);
      } else if (const auto* repeat = std::get_if<PlanRepeat>(&step.what)) {
        steps(repeat->steps, preparing);
      }
    }
  }

  void check_launch(const PlanLaunch& launch, const std::string& place, bool preparing) {
    const KernelInfo* kernel = build_.kernel(launch.kernel);
    if (kernel == nullptr) {
      std::vector<std::string> known;
      for (const KernelInfo& one : build_.kernels) known.push_back(one.expression);
      return fail(place + ".kernel", "no kernel " + quote(launch.kernel),
                  nearest(launch.kernel, known));
    }
    const std::size_t given = launch.arguments.size();
    const std::size_t wanted = kernel->parameters.size();
    if (given != wanted) {
      return fail(place + ".args", std::to_string(given) +
                                       (given == 1 ? " argument" : " arguments") + " for the " +
                                       std::to_string(wanted) + " of " + signature_text(*kernel));
    }
    for (std::size_t i = 0; i < given; ++i) {
      argument(launch.arguments[i], kernel->parameters[i], *kernel,
               place + ".args[" + std::to_string(i) + "]", preparing);
    }
  }

  void argument(const PlanArgument& argument, const KernelParameter& parameter,
                const KernelInfo& kernel, const std::string& place, bool preparing) {
    if (const auto* one = std::get_if<PlanPlace>(&argument)) {
      return tensor(one->tensor, parameter, kernel, place, preparing);
    }
    if (const auto* pick = std::get_if<PlanPick>(&argument)) {
      for (std::size_t k = 0; k < pick->of.size(); ++k) {
        tensor(pick->of[k].tensor, parameter, kernel, place + ".of[" + std::to_string(k) + "]",
               preparing);
      }
      return;
    }
    const auto& scalar = std::get<PlanScalar>(argument);
    const std::string name(scalar.value.lone_name());
    const auto found = scalar.kind || name.empty() ? std::nullopt : names_.find(name);
    if (found && (found->kind == Named::Kind::kTensor || found->kind == Named::Kind::kBuffer)) {
      return tensor(name, parameter, kernel, place, preparing);
    }
    number(scalar, parameter, kernel, place);
  }

  void number(const PlanScalar& scalar, const KernelParameter& parameter, const KernelInfo& kernel,
              const std::string& place) {
    if (parameter.form == KernelParameter::Form::kPointer) {
      return fail(place, quote(scalar.value.text) + " is a number; a tensor is wanted by " +
                             signature_text(kernel));
    }
    const bool integer =
        parameter.element != Element::kFloating && parameter.element != Element::kBFloat16;
    const bool fraction = scalar.kind ? is_floating(*scalar.kind) : names_.real(scalar.value);
    if (integer && fraction) {
      const std::string what = scalar.kind ? " is given as " + std::string(to_string(*scalar.kind))
                                           : std::string(" is a fraction");
      fail(place, quote(scalar.value.text) + what + "; " + parameter_text(parameter) +
                      " is an integer of " + signature_text(kernel));
    }
  }

  static std::string parameter_text(const KernelParameter& parameter) {
    return parameter.name.empty() ? "the parameter " + quote(parameter.type)
                                  : quote(parameter.name);
  }

  void tensor(const std::string& name, const KernelParameter& parameter, const KernelInfo& kernel,
              const std::string& place, bool preparing) {
    const auto found = names_.find(name);
    if (!found || fault_) return;
    const auto at = static_cast<std::size_t>(found->index);
    const bool buffer = found->kind == Named::Kind::kBuffer;
    const DType dtype = buffer ? names_.plan().buffers[at].dtype : names_.tensors()[at].dtype;
    if (parameter.form == KernelParameter::Form::kScalar) {
      return fail(place, quote(name) + " is a tensor; " + parameter_text(parameter) +
                             " is a number of " + signature_text(kernel));
    }
    if (!takes(parameter, dtype)) {
      return fail(place, quote(name) + " holds " + std::string(to_string(dtype)) + "; " +
                             parameter_text(parameter) + " is " + quote(parameter.type) + " of " +
                             signature_text(kernel));
    }
    if (parameter.to_const) return;
    if (buffer && !preparing && names_.plan().buffers[at].keep) {
      fail(place, quote(name) +
                      " has \"keep\": true, so run may only read it: " + parameter_text(parameter) +
                      " must point to const in " + signature_text(kernel));
    } else if (!buffer && !names_.tensors()[at].written()) {
      fail(place, quote(name) + " is never written: " + parameter_text(parameter) +
                      " must point to const in " + signature_text(kernel));
    }
  }

  const Names& names_;
  const Build& build_;
  std::optional<PlanFault> fault_;
};

}  // namespace

std::string signature_text(const KernelInfo& kernel) {
  std::string text = kernel.expression + "(";
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const KernelParameter& parameter = kernel.parameters[i];
    if (i > 0) text += ", ";
    text += parameter.type;
    if (!parameter.name.empty()) text += " " + parameter.name;
  }
  return text + ")";
}

bool takes(const KernelParameter& parameter, DType dtype) {
  if (parameter.element == Element::kOpaque) return true;
  if (parameter.element_bytes != size_of(dtype)) return false;
  const bool integer_pointer =
      parameter.element == Element::kSigned || parameter.element == Element::kUnsigned;
  switch (dtype) {
    case DType::kBFloat16:
      return parameter.element == Element::kBFloat16;
    case DType::kFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      return parameter.element == Element::kFloating;
    case DType::kFloat8E4M3:
    case DType::kFloat8E4M3Fnuz:
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2Fnuz:
      return parameter.element == Element::kFloating || parameter.element == Element::kUnsigned;
    case DType::kBool:
    case DType::kInt8:
    case DType::kUInt8:
      return integer_pointer || parameter.element == Element::kBool;
    default:
      return integer_pointer;
  }
}

std::optional<Outcome> check_signatures(const Plan& plan, const Variant& variant,
                                        const Build& build) {
  const Names names(plan, variant);
  const auto fault = Checker(names, build).check();
  if (!fault) return std::nullopt;
  Outcome outcome = bad_plan(*fault);
  return outcome;
}

}  // namespace kvgen
