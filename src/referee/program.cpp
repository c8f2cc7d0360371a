#include "referee/program.h"

#include <algorithm>
#include <unordered_map>

#include "referee/convert.h"
#include "referee/memory.h"
#include "referee/noise.h"
#include "referee/operators.h"

namespace kvgen::referee {
namespace {

using Kind = Program::Input::Kind;

constexpr std::size_t kStepLimit = 50'000;
constexpr std::size_t kMessageLimit = 300;

// rms_norm's default eps follows the input's type; wide runs must use the recorded one.
constexpr double kFloat32Epsilon = 0x1p-23;

const Argument* find_argument(const Node& node, std::size_t index, const std::string& name) {
  if (index < node.args.size()) return &node.args[index];
  const auto found = std::find_if(node.kwargs.begin(), node.kwargs.end(),
                                  [&](const auto& pair) { return pair.first == name; });
  return found == node.kwargs.end() ? nullptr : &found->second;
}

double unit_of(const Node& node) {
  for (const auto& meta : node.metas) {
    if (meta && is_floating(meta->dtype)) return unit_roundoff(meta->dtype);
  }
  return unit_roundoff(DType::kFloat32);
}

bool casts(std::string_view op) {
  constexpr std::array kNames = {"aten::to",   "aten::_to_copy", "aten::type_as",
                                 "aten::half", "aten::bfloat16", "aten::copy_"};
  return std::find(kNames.begin(), kNames.end(), op) != kNames.end();
}

class Compiler {
 public:
  Compiler(Precision precision, std::string where) : where_(std::move(where)) {
    program_.precision = precision;
  }

  Result<void> give(std::span<const ValueId> given) {
    for (const ValueId value : given) {
      if (value.id < 0) return Error(Code::kInvalid, where_ + ": a value has no id");
      define(value.id);
    }
    return ok();
  }

  Result<void> add(const Node& node) {
    const std::string place =
        where_ + ".nodes[" + std::to_string(program_.steps.size()) + "] " + node.full_name();
    const auto fail = [&](const std::string& problem) {
      return Error(Code::kInvalid, place + ": " + problem);
    };
    const auto rounding = allowed(node.op);
    if (!rounding) return fail("this operator is not on the referee's list");
    const auto op = c10::Dispatcher::singleton().findSchema({node.op, node.overload});
    if (!op) return fail("this libtorch has no such operator");
    Program::Step step{*op, place};
    step.returns_list = node.returns_list;
    step.zeroed = leaves_memory_unwritten(node.op);
    step.unit = unit_of(node);
    step.rounds = casts(node.op) && step.unit > unit_roundoff(DType::kFloat32);

    const auto& parameters = op->schema().arguments();
    if (node.args.size() > parameters.size()) return fail("has too many arguments");
    const Conversion conversion{program_.precision, *rounding == Rounding::kRandom};
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto& parameter = parameters[i];
      const auto* alias = parameter.alias_info();
      if (alias != nullptr && alias->isWrite()) program_.writes_in_place = true;
      const Argument* argument = find_argument(node, i, parameter.name());
      const bool eps_left_out = node.op == "aten::rms_norm" && parameter.name() == "eps" &&
                                (argument == nullptr || argument->is_null());
      if (eps_left_out && step.unit == unit_roundoff(DType::kFloat32)) {
        step.inputs.push_back({Kind::kConstant, c10::IValue(kFloat32Epsilon), {}});
        continue;
      }
      if (argument == nullptr) {
        if (!parameter.default_value()) return fail("argument " + parameter.name() + " is missing");
        step.inputs.push_back({Kind::kConstant, *parameter.default_value(), {}});
        continue;
      }
      auto input = convert(*argument, parameter, conversion);
      if (!input.ok()) {
        return fail("argument " + parameter.name() + ": " + input.error().message());
      }
      for (const int slot : input->slots) {
        if (slot < 0) continue;
        if (!defined(slot)) {
          return fail("argument " + parameter.name() + ": value " + std::to_string(slot) +
                      " is used before it is made");
        }
        last_use_[slot] = program_.steps.size();
      }
      step.inputs.push_back(std::move(*input));
    }
    for (const auto& out : node.outputs) {
      step.outputs.push_back(out ? out->id : -1);
      if (!out) continue;
      define(out->id);
      last_use_[out->id] = program_.steps.size();
    }
    program_.steps.push_back(std::move(step));
    return ok();
  }

  Result<Program> finish(std::span<const ValueId> kept) {
    for (const ValueId value : kept) {
      if (value.id < 0 || !defined(value.id)) {
        return Error(Code::kInvalid,
                     where_ + ": the result " + std::to_string(value.id) + " is never made");
      }
      last_use_.erase(value.id);
    }
    for (const auto& [slot, step] : last_use_) program_.steps[step].dead.push_back(slot);
    program_.slots = defined_.size();
    return std::move(program_);
  }

 private:
  void define(int slot) {
    if (static_cast<std::size_t>(slot) >= defined_.size()) {
      defined_.resize(static_cast<std::size_t>(slot) + 1);
    }
    defined_[static_cast<std::size_t>(slot)] = true;
  }
  [[nodiscard]] bool defined(int slot) const {
    return static_cast<std::size_t>(slot) < defined_.size() &&
           defined_[static_cast<std::size_t>(slot)];
  }

  std::string where_;
  Program program_;
  std::vector<bool> defined_;
  std::unordered_map<int, std::size_t> last_use_;
};

void push_inputs(const Program::Step& step, const Values& values, torch::jit::Stack& stack) {
  const auto value = [&](int slot) { return values[static_cast<std::size_t>(slot)]; };
  for (const Program::Input& input : step.inputs) {
    switch (input.kind) {
      case Kind::kConstant:
        // A wrapped number may be written to by an in-place operator.
        stack.push_back(input.constant.isTensor() && input.constant.toTensor().defined()
                            ? c10::IValue(input.constant.toTensor())
                            : input.constant);
        break;
      case Kind::kTensor:
        TORCH_CHECK(value(input.slots[0]).defined(), "a value it uses was never made");
        stack.emplace_back(value(input.slots[0]));
        break;
      case Kind::kTensors: {
        c10::List<at::Tensor> list;
        for (const int slot : input.slots) {
          TORCH_CHECK(value(slot).defined(), "a value it uses was never made");
          list.push_back(value(slot));
        }
        stack.emplace_back(std::move(list));
        break;
      }
      case Kind::kOptionalTensors: {
        c10::List<std::optional<at::Tensor>> list;
        for (const int slot : input.slots) {
          list.push_back(slot < 0 ? std::nullopt : std::optional(value(slot)));
        }
        stack.emplace_back(std::move(list));
        break;
      }
    }
  }
}

at::Tensor widened(at::Tensor tensor) {
  if (tensor.defined() && tensor.is_floating_point() && tensor.scalar_type() != at::kDouble) {
    return tensor.to(at::kDouble);
  }
  return tensor;
}

void store_outputs(const Program::Step& step, Precision precision, torch::jit::Stack& stack,
                   Values& values) {
  const auto store = [&](int slot, at::Tensor tensor) {
    if (slot < 0) return;
    if (step.zeroed) tensor.zero_();
    if (precision == Precision::kWide) tensor = widened(std::move(tensor));
    values[static_cast<std::size_t>(slot)] = std::move(tensor);
  };
  if (step.returns_list) {
    TORCH_CHECK(stack.size() == 1 && stack[0].isTensorList(), "does not return a list of tensors");
    const auto list = stack[0].toTensorVector();
    for (std::size_t i = 0; i < step.outputs.size() && i < list.size(); ++i) {
      store(step.outputs[i], list[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < step.outputs.size() && i < stack.size(); ++i) {
    if (stack[i].isTensor()) store(step.outputs[i], std::move(stack[i]).toTensor());
  }
}

}  // namespace

Error error_from_exception(const std::exception& e, const std::string& place) {
  if (const auto* full = dynamic_cast<const BudgetExceeded*>(&e)) {
    return {Code::kFull, place + ": " + full->what()};
  }
  const auto* torch_error = dynamic_cast<const c10::Error*>(&e);
  std::string text = torch_error != nullptr ? torch_error->what_without_backtrace() : e.what();
  text = text.substr(0, std::min({text.find('\n'), text.size(), kMessageLimit}));
  return {Code::kInvalid, place + ": " + text};
}

Result<Program> compile(std::span<const Node> nodes, std::span<const ValueId> given,
                        std::span<const ValueId> kept, Precision precision,
                        const std::string& where) {
  if (nodes.size() > kStepLimit) return Error(Code::kInvalid, where + " has too many nodes");
  return guarded(where, [&]() -> Result<Program> {
    Compiler compiler(precision, where);
    TRY_VOID(compiler.give(given));
    for (const Node& node : nodes) TRY_VOID(compiler.add(node));
    return compiler.finish(kept);
  });
}

bool runs_as_eager(const Program& program, const Noise* noise) {
  return noise == nullptr && program.precision == Precision::kRecorded;
}

Result<void> execute(const Program& program, Values& values, Noise* noise) {
  values.resize(std::max(values.size(), program.slots));
  const c10::InferenceMode inference(!runs_as_eager(program, noise));
  const at::NoGradGuard no_grad;
  torch::jit::Stack stack;
  for (const Program::Step& step : program.steps) {
    const auto run = [&]() -> Result<void> {
      stack.clear();
      push_inputs(step, values, stack);
      if (noise == nullptr) {
        step.op.callBoxed(stack);
      } else {
        noise->call(step.op, step.unit, stack);
      }
      store_outputs(step, program.precision, stack, values);
      if (noise != nullptr && step.rounds) {
        for (const int slot : step.outputs) {
          if (slot < 0) continue;
          at::Tensor& out = values[static_cast<std::size_t>(slot)];
          out = noise->rounded(out, step.unit);
        }
      }
      return ok();
    };
    TRY_VOID(guarded(step.place, run));
    for (const int slot : step.dead) values[static_cast<std::size_t>(slot)].reset();
  }
  return ok();
}

}  // namespace kvgen::referee
