#include <algorithm>
#include <set>

#include "kvgen/plan/resolve.h"
#include "plan/names.h"
#include "plan/order.h"
#include "plan/text.h"

namespace kvgen {
namespace {

// Walks the whole plan, also what `when` and `?:` leave out. The first fault is
// kept.
class Checker {
 public:
  explicit Checker(const Names& names) : names_(names) {}

  std::optional<PlanFault> check() {
    const Plan& plan = names_.plan();
    fault_ = names_.clash();
    for (std::size_t i = 0; i < plan.lets.size(); ++i) {
      const PlanLet& let = plan.lets[i];
      expression(let.value, names_.real_let(static_cast<int>(i)), "let." + let.name);
    }
    for (const PlanBuffer& buffer : plan.buffers) {
      list(buffer.shape, "buffers." + buffer.name + ".shape");
    }
    if (!fault_) fault_ = order_of(names_).cycle;
    preparing_ = true;
    steps(plan.prepare);
    preparing_ = false;
    steps(plan.run);
    return fault_;
  }

 private:
  void fail(const std::string& place, std::string message, std::string suggestion = "") {
    if (!fault_) fault_ = PlanFault{place, std::move(message), std::move(suggestion)};
  }

  // ---- expressions ----

  void list(const std::vector<Expression>& expressions, const std::string& place) {
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      expression(expressions[i], false, place + "[" + std::to_string(i) + "]");
    }
  }

  void expression(const Expression& one, bool real, const std::string& place) {
    if (!fault_) node(one, one.root(), real, place);
  }

  void node(const Expression& one, int index, bool real, const std::string& place) {
    const Expression::Node& node_here = one.nodes[static_cast<std::size_t>(index)];
    const auto fraction = [&](const std::string& what) {
      if (real) return;
      fail(place, quote(one.text) + ": " + what + " where an integer is needed");
    };
    if (const auto* value = std::get_if<double>(&node_here.what)) {
      return fraction(literal(*value).text + " is a fraction");
    }
    if (const auto* name = std::get_if<Expression::Name>(&node_here.what)) {
      return scalar_name(one, name->text, place, fraction);
    }
    const auto* function = std::get_if<PlanFunction>(&node_here.what);
    std::size_t first = 0;
    bool inner = real;
    if (function != nullptr) {
      if (gives_fraction(*function))
        fraction(std::string(to_string(*function)) + "() gives a fraction");
      const bool passes = *function == PlanFunction::kMin || *function == PlanFunction::kMax ||
                          *function == PlanFunction::kAbs;
      inner = gives_fraction(*function) || (passes && real);
      if (takes_tensor(*function)) {
        const auto& tensor = one.nodes[static_cast<std::size_t>(node_here.operands[0])];
        tensor_name(std::get<Expression::Name>(tensor.what).text, place);
        first = 1;
      }
    }
    for (std::size_t i = first; i < node_here.operands.size(); ++i) {
      node(one, node_here.operands[i], inner, place);
    }
  }

  template <class Fraction>
  void scalar_name(const Expression& one, const std::string& name, const std::string& place,
                   const Fraction& fraction) {
    if (std::find(counters_.begin(), counters_.end(), name) != counters_.end()) return;
    const auto found = names_.find(name);
    if (!found) {
      const bool counter = known_counters_.contains(name);
      return fail(place,
                  counter ? quote(name) + " is visible inside its \"do\" only"
                          : "unknown name " + quote(name),
                  counter ? "" : names_.near(name, counters_));
    }
    const auto at = static_cast<std::size_t>(found->index);
    if (found->kind == Named::Kind::kTensor || found->kind == Named::Kind::kBuffer) {
      fail(place, quote(one.text) + ": " + quote(name) +
                      " is a tensor: only its shape may be read, as dim(" + name +
                      ", i) or numel(" + name + ")");
    } else if (found->kind == Named::Kind::kLet && names_.real_let(found->index)) {
      fraction("the let " + quote(name) + " is a fraction");
    } else if (found->kind == Named::Kind::kSymbol &&
               names_.variant().symbols[at].value.index() == 1) {
      fraction("the symbol " + quote(name) + " is a fraction");
    }
  }

  std::optional<Named> tensor_name(const std::string& name, const std::string& place) {
    const auto found = names_.find(name);
    if (found && (found->kind == Named::Kind::kTensor || found->kind == Named::Kind::kBuffer)) {
      return found;
    }
    if (found || std::find(counters_.begin(), counters_.end(), name) != counters_.end()) {
      fail(place, quote(name) + " is a number, not a tensor");
    } else {
      fail(place, "unknown tensor " + quote(name), names_.near(name, {}));
    }
    return std::nullopt;
  }

  // ---- steps ----

  void steps(const std::vector<PlanStep>& list_of_steps) {
    for (const PlanStep& step : list_of_steps) {
      if (fault_) return;
      if (step.when) expression(*step.when, false, step.place + ".when");
      if (const auto* launch = std::get_if<PlanLaunch>(&step.what)) {
        check_launch(*launch, step.place);
      } else if (const auto* fill = std::get_if<PlanFill>(&step.what)) {
        check_fill(*fill, step.place);
      } else if (const auto* copy = std::get_if<PlanCopy>(&step.what)) {
        check_copy(*copy, step.place);
      } else {
        check_repeat(std::get<PlanRepeat>(step.what), step.place);
      }
    }
  }

  void check_launch(const PlanLaunch& launch, const std::string& place) {
    list(launch.grid, place + ".grid");
    list(launch.block, place + ".block");
    if (launch.shared) expression(*launch.shared, false, place + ".shared");
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const std::string here = place + ".args[" + std::to_string(i) + "]";
      const PlanArgument& argument = launch.arguments[i];
      if (const auto* tensor = std::get_if<PlanPlace>(&argument)) {
        use(*tensor, here);
      } else if (const auto* pick = std::get_if<PlanPick>(&argument)) {
        expression(pick->pick, false, here + ".pick");
        for (std::size_t k = 0; k < pick->of.size(); ++k) {
          use(pick->of[k], here + ".of[" + std::to_string(k) + "]");
        }
      } else {
        check_scalar(std::get<PlanScalar>(argument), here);
      }
    }
  }

  void check_scalar(const PlanScalar& scalar, const std::string& place) {
    if (scalar.kind) {
      const std::string inside = place + "." + std::string(to_string(*scalar.kind));
      return expression(scalar.value, is_floating(*scalar.kind), inside);
    }
    const std::string name(scalar.value.lone_name());
    const auto found = name.empty() ? std::nullopt : names_.find(name);
    const bool tensor =
        found && (found->kind == Named::Kind::kTensor || found->kind == Named::Kind::kBuffer);
    if (tensor) {
      use({name, std::nullopt}, place);
    } else {
      expression(scalar.value, true, place);
    }
  }

  // A tensor that a step reads or writes: allowed in this phase?
  std::optional<Named> use(const PlanPlace& tensor, const std::string& place) {
    const auto found = tensor_name(tensor.tensor, place);
    if (tensor.offset) expression(*tensor.offset, false, place + ".offset");
    if (!found || !preparing_) return found;
    const auto at = static_cast<std::size_t>(found->index);
    if (found->kind == Named::Kind::kBuffer) {
      if (!names_.plan().buffers[at].keep) {
        fail(place, quote(tensor.tensor) +
                        " is garbage at every run: prepare may use buffers with \"keep\": true");
      }
    } else {
      const TensorSpec& spec = names_.tensors()[at];
      if (spec.role == TensorRole::kInput || spec.written()) {
        fail(place,
             "prepare may not use " +
                 std::string(spec.role == TensorRole::kInput ? "the input " : "the output ") +
                 quote(tensor.tensor) + ": it runs once per set of weights");
      }
    }
    return found;
  }

  void write(const PlanPlace& tensor, const std::string& place) {
    const auto found = use(tensor, place);
    if (!found) return;
    const auto at = static_cast<std::size_t>(found->index);
    if (found->kind == Named::Kind::kBuffer) {
      if (!preparing_ && names_.plan().buffers[at].keep) {
        fail(place, quote(tensor.tensor) + " has \"keep\": true: only prepare may write it");
      }
    } else if (!names_.tensors()[at].written()) {
      fail(place, "writes the " + std::string(to_string(names_.tensors()[at].role)) + " " +
                      quote(tensor.tensor) + ": only outputs and plan buffers are written");
    }
  }

  [[nodiscard]] DType dtype_of(const Named& named) const {
    const auto at = static_cast<std::size_t>(named.index);
    return named.kind == Named::Kind::kBuffer ? names_.plan().buffers[at].dtype
                                              : names_.tensors()[at].dtype;
  }

  void check_fill(const PlanFill& fill, const std::string& place) {
    write(fill.to, place + ".fill");
    if (fault_) return;
    const DType dtype = dtype_of(*names_.find(fill.to.tensor));
    if (const auto* value = std::get_if<Expression>(&fill.value)) {
      expression(*value, is_floating(dtype), place + ".value");
    } else if (!is_floating(dtype)) {
      fail(place + ".value", "infinity does not exist in " + std::string(to_string(dtype)));
    }
  }

  void check_copy(const PlanCopy& copy, const std::string& place) {
    const auto from = use(copy.from, place + ".copy");
    write(copy.to, place + ".to");
    if (copy.count) expression(*copy.count, false, place + ".count");
    if (fault_) return;
    const DType here = dtype_of(*from);
    const DType there = dtype_of(*names_.find(copy.to.tensor));
    if (here != there) {
      fail(place, "copies " + std::string(to_string(here)) + " to " +
                      std::string(to_string(there)) + ": the dtypes must be the same");
    }
  }

  void check_repeat(const PlanRepeat& repeat, const std::string& place) {
    expression(repeat.count, false, place + ".repeat");
    if (repeat.as.empty()) return steps(repeat.steps);
    if (names_.find(repeat.as)) {
      return fail(place + ".as", quote(repeat.as) + " is already a name: one name, one thing");
    }
    counters_.push_back(repeat.as);
    known_counters_.insert(repeat.as);
    steps(repeat.steps);
    counters_.pop_back();
  }

  const Names& names_;
  std::optional<PlanFault> fault_;
  std::vector<std::string> counters_;
  std::set<std::string> known_counters_;
  bool preparing_ = false;
};

}  // namespace

std::optional<Outcome> check_names(const Plan& plan, const Variant& variant) {
  const Names names(plan, variant);
  const auto fault = Checker(names).check();
  if (!fault) return std::nullopt;
  return bad_plan(*fault);
}

}  // namespace kvgen
