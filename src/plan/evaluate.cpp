#include "plan/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/arithmetic.h"
#include "plan/order.h"

namespace kvgen {
namespace {

using Op = PlanOperator;
using Fn = PlanFunction;

bool compares(Op op) {
  return op == Op::kEqual || op == Op::kNotEqual || op == Op::kLess || op == Op::kLessEqual ||
         op == Op::kGreater || op == Op::kGreaterEqual;
}

template <class T>
bool compare(Op op, T a, T b) {
  switch (op) {
    case Op::kEqual:
      return a == b;
    case Op::kNotEqual:
      return a != b;
    case Op::kLess:
      return a < b;
    case Op::kLessEqual:
      return a <= b;
    case Op::kGreater:
      return a > b;
    default:
      return a >= b;
  }
}

bool truth(const PlanNumber& number) {
  return number.real() ? std::get<1>(number.value) != 0 : std::get<0>(number.value) != 0;
}

double real_function(Fn function, double a, double b) {
  switch (function) {
    case Fn::kSqrt:
      return std::sqrt(a);
    case Fn::kRsqrt:
      return 1.0 / std::sqrt(a);
    case Fn::kExp:
      return std::exp(a);
    case Fn::kLog:
      return std::log(a);
    default:
      return std::pow(a, b);
  }
}

}  // namespace

// One evaluation: the first problem is kept and everything after it is zero.
class Evaluator::Walk {
 public:
  Walk(Evaluator& owner, const Expression& expression) : owner_(owner), expression_(expression) {}

  PlanNumber value(int index, bool real) {
    if (failed()) return {};
    if (--owner_.steps_left_ < 0) return fail("the plan asks for too much arithmetic");
    const Expression::Node& node = expression_.nodes[static_cast<std::size_t>(index)];
    if (const auto* integer = std::get_if<std::int64_t>(&node.what)) return {*integer};
    if (const auto* fraction = std::get_if<double>(&node.what)) return {*fraction};
    if (const auto* name = std::get_if<Expression::Name>(&node.what)) return named(name->text);
    if (const auto* function = std::get_if<Fn>(&node.what)) return call(*function, node, real);
    return operation(std::get<Op>(node.what), node, real);
  }

  [[nodiscard]] bool failed() const { return !problem.empty() || outcome.has_value(); }

  std::string problem;
  std::optional<Outcome> outcome;  // of a let that this expression uses

 private:
  PlanNumber fail(std::string what) {
    if (!failed()) problem = std::move(what);
    return {};
  }

  PlanNumber taken(IntegerResult result) {
    if (!result.problem.empty()) return fail(std::move(result.problem));
    return {result.value};
  }

  std::int64_t integer(int index) {
    const PlanNumber number = value(index, false);
    if (number.real()) fail("a fraction where an integer is needed");
    return failed() ? 0 : std::get<0>(number.value);
  }

  PlanNumber named(const std::string& name) {
    for (const auto& [counter, value] : owner_.counters_) {
      if (counter == name) return {value};
    }
    const auto found = owner_.names_.find(name);
    if (!found) return fail("unknown name \"" + name + "\"");
    const auto index = static_cast<std::size_t>(found->index);
    switch (found->kind) {
      case Named::Kind::kWave:
        return {std::int64_t{owner_.limits_.wave}};
      case Named::Kind::kCus:
        return {std::int64_t{owner_.limits_.cus}};
      case Named::Kind::kLds:
        return {owner_.limits_.lds_bytes};
      case Named::Kind::kSymbol:
        return {owner_.names_.variant().symbols[index].value};
      case Named::Kind::kLet: {
        const auto& let = owner_.lets_[index];
        if (let.ok()) return *let;
        if (!failed()) outcome = let.outcome();
        return {};
      }
      default:
        return fail("\"" + name + "\" is a tensor: only its shape may be read");
    }
  }

  PlanNumber call(Fn function, const Expression::Node& node, bool real) {
    if (takes_tensor(function)) return about_tensor(function, node);
    if (gives_fraction(function)) {
      const double a = value(node.operands[0], true).as_real();
      const double b = node.operands.size() > 1 ? value(node.operands[1], true).as_real() : 0;
      return finite(real_function(function, a, b), to_string(function));
    }
    if (function == Fn::kMin || function == Fn::kMax || function == Fn::kAbs) {
      PlanNumber best = value(node.operands[0], real);
      if (function == Fn::kAbs) {
        if (best.real()) return {std::abs(std::get<1>(best.value))};
        return failed() ? PlanNumber{}
                        : taken(integer_function(function, std::get<0>(best.value), 0));
      }
      for (std::size_t i = 1; i < node.operands.size(); ++i) {
        const PlanNumber next = value(node.operands[i], real);
        const bool less = number_compare(Op::kLess, next, best);
        const bool more = number_compare(Op::kGreater, next, best);
        if (function == Fn::kMin ? less : more) best = next;
      }
      return best;
    }
    const std::int64_t a = integer(node.operands[0]);
    const std::int64_t b = node.operands.size() > 1 ? integer(node.operands[1]) : 0;
    return failed() ? PlanNumber{} : taken(integer_function(function, a, b));
  }

  PlanNumber about_tensor(Fn function, const Expression::Node& node) {
    const auto& first = expression_.nodes[static_cast<std::size_t>(node.operands[0])];
    const auto* name = std::get_if<Expression::Name>(&first.what);
    const auto tensor = name == nullptr ? std::nullopt : owner_.names_.find(name->text);
    if (!tensor) return fail("no such tensor");
    if (tensor->kind == Named::Kind::kBuffer) {
      const auto& shape = owner_.buffer_shape(tensor->index);
      if (!shape.ok()) {
        outcome = shape.outcome();
        return {};
      }
    }
    const Shape shape = owner_.shape_of(*tensor);
    if (function == Fn::kNumel) return {numel(shape)};
    const std::int64_t index = integer(node.operands[1]);
    if (failed()) return {};
    const auto rank = static_cast<std::int64_t>(shape.size());
    if (index < -rank || index >= rank) {
      return fail(name->text + " has " + std::to_string(rank) +
                  (rank == 1 ? " dimension; " : " dimensions; ") +
                  std::string(to_string(function)) + "(" + name->text + "," +
                  std::to_string(index) + ") is out of range");
    }
    const auto at = static_cast<std::size_t>(index < 0 ? index + rank : index);
    return {function == Fn::kDim ? shape[at] : contiguous_strides(shape)[at]};
  }

  static bool number_compare(Op op, const PlanNumber& a, const PlanNumber& b) {
    if (!a.real() && !b.real()) return compare(op, std::get<0>(a.value), std::get<0>(b.value));
    return compare(op, a.as_real(), b.as_real());
  }

  PlanNumber finite(double result, std::string_view doing) {
    if (failed()) return {};
    if (!std::isfinite(result)) return fail(std::string(doing) + " gives no finite number");
    return {result};
  }

  PlanNumber operation(Op op, const Expression::Node& node, bool real) {
    const PlanNumber a = value(node.operands[0], real);
    if (failed()) return {};
    if (op == Op::kConditional) return value(node.operands[truth(a) ? 1 : 2], real);
    if (op == Op::kNot) return {std::int64_t{truth(a) ? 0 : 1}};
    if (op == Op::kOr && truth(a)) return {std::int64_t{1}};
    if (op == Op::kAnd && !truth(a)) return {std::int64_t{0}};
    const PlanNumber b = node.operands.size() > 1 ? value(node.operands[1], real) : PlanNumber{};
    if (failed()) return {};
    if (op == Op::kOr || op == Op::kAnd) return {std::int64_t{truth(b) ? 1 : 0}};
    if (compares(op)) return {std::int64_t{number_compare(op, a, b) ? 1 : 0}};
    if (op == Op::kDivide && real) {
      if (b.as_real() == 0) return fail("division by zero");
      return finite(a.as_real() / b.as_real(), "the division");
    }
    if (!a.real() && !b.real()) {
      return taken(integer_operation(op, std::get<0>(a.value), std::get<0>(b.value)));
    }
    switch (op) {
      case Op::kAdd:
        return finite(a.as_real() + b.as_real(), "the sum");
      case Op::kSubtract:
        return finite(a.as_real() - b.as_real(), "the difference");
      case Op::kMultiply:
        return finite(a.as_real() * b.as_real(), "the product");
      case Op::kNegate:
        return {-a.as_real()};
      default:
        return fail("a fraction where an integer is needed");
    }
  }

  Evaluator& owner_;
  const Expression& expression_;
};

Evaluator::Evaluator(const Names& names, const DeviceLimits& limits)
    : names_(names),
      limits_(limits),
      lets_(names.plan().lets.size(), PlanNumber{}),
      buffers_(names.plan().buffers.size(), Shape{}) {
  for (const Named& what : order_of(names).order) {
    const auto index = static_cast<std::size_t>(what.index);
    if (what.kind == Named::Kind::kLet) {
      const PlanLet& let = names.plan().lets[index];
      lets_[index] = evaluate(let.value, names.real_let(what.index), "let." + let.name);
    } else {
      buffers_[index] = compute_shape(names.plan().buffers[index]);
    }
  }
}

Checked<PlanNumber> Evaluator::evaluate(const Expression& expression, bool real,
                                        const std::string& place) {
  Walk walk(*this, expression);
  const PlanNumber number = walk.value(expression.root(), real);
  if (walk.outcome) return *walk.outcome;
  if (!walk.problem.empty()) {
    return bad_plan({place, "\"" + expression.text + "\": " + walk.problem, ""});
  }
  return number;
}

Checked<std::int64_t> Evaluator::integer(const Expression& expression, const std::string& place) {
  auto number = evaluate(expression, false, place);
  if (!number.ok()) return std::move(number).outcome();
  if (number->real()) {
    return bad_plan(
        {place, "\"" + expression.text + "\": a fraction where an integer is needed", ""});
  }
  return std::get<0>(number->value);
}

Checked<PlanNumber> Evaluator::real(const Expression& expression, const std::string& place) {
  return evaluate(expression, true, place);
}

Checked<Shape> Evaluator::compute_shape(const PlanBuffer& buffer) {
  Shape shape;
  std::int64_t bytes = size_of(buffer.dtype);
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
    const std::string place = "buffers." + buffer.name + ".shape[" + std::to_string(i) + "]";
    auto extent = integer(buffer.shape[i], place);
    if (!extent.ok()) return std::move(extent).outcome();
    if (*extent < 0) return bad_plan({place, "is negative: " + std::to_string(*extent), ""});
    shape.push_back(*extent);
  }
  // An extent of 0 must not hide others whose product is beyond int64.
  for (const std::int64_t extent : shape) {
    if (extent > 0 && __builtin_mul_overflow(bytes, extent, &bytes)) {
      return bad_plan({"buffers." + buffer.name + ".shape", "overflow: " + to_text(shape), ""});
    }
  }
  return shape;
}

Shape Evaluator::shape_of(const Named& tensor) const {
  const auto index = static_cast<std::size_t>(tensor.index);
  if (tensor.kind == Named::Kind::kTensor) return names_.tensors()[index].shape;
  if (tensor.kind == Named::Kind::kBuffer && buffers_[index].ok()) return *buffers_[index];
  return {};
}

}  // namespace kvgen
