#include "plan/spelling.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace kvgen {
namespace {

using Op = PlanOperator;
using Fn = PlanFunction;

constexpr std::array kFunctions = {
    FunctionRow{Fn::kMin, "min", 2, 8},
    FunctionRow{Fn::kMax, "max", 2, 8},
    FunctionRow{Fn::kAbs, "abs", 1, 1},
    FunctionRow{Fn::kCeilDiv, "ceil_div", 2, 2},
    FunctionRow{Fn::kFloorDiv, "floor_div", 2, 2},
    FunctionRow{Fn::kRoundUp, "round_up", 2, 2},
    FunctionRow{Fn::kLog2Ceil, "log2_ceil", 1, 1},
    FunctionRow{Fn::kLog2Floor, "log2_floor", 1, 1},
    FunctionRow{Fn::kNextPow2, "next_pow2", 1, 1},
    FunctionRow{Fn::kDim, "dim", 2, 2},
    FunctionRow{Fn::kNumel, "numel", 1, 1},
    FunctionRow{Fn::kStride, "stride", 2, 2},
    FunctionRow{Fn::kSqrt, "sqrt", 1, 1},
    FunctionRow{Fn::kRsqrt, "rsqrt", 1, 1},
    FunctionRow{Fn::kExp, "exp", 1, 1},
    FunctionRow{Fn::kLog, "log", 1, 1},
    FunctionRow{Fn::kPow, "pow", 2, 2},
};

constexpr int kConditionalBinds = 0;
constexpr int kUnaryBinds = 11;
constexpr int kPrimaryBinds = 12;
constexpr std::array kBinary = {
    OperatorRow{Op::kOr, "||", 1},           OperatorRow{Op::kAnd, "&&", 2},
    OperatorRow{Op::kBitOr, "|", 3},         OperatorRow{Op::kBitXor, "^", 4},
    OperatorRow{Op::kBitAnd, "&", 5},        OperatorRow{Op::kEqual, "==", 6},
    OperatorRow{Op::kNotEqual, "!=", 6},     OperatorRow{Op::kLess, "<", 7},
    OperatorRow{Op::kLessEqual, "<=", 7},    OperatorRow{Op::kGreater, ">", 7},
    OperatorRow{Op::kGreaterEqual, ">=", 7}, OperatorRow{Op::kShiftLeft, "<<", 8},
    OperatorRow{Op::kShiftRight, ">>", 8},   OperatorRow{Op::kAdd, "+", 9},
    OperatorRow{Op::kSubtract, "-", 9},      OperatorRow{Op::kMultiply, "*", 10},
    OperatorRow{Op::kDivide, "/", 10},       OperatorRow{Op::kRemainder, "%", 10},
};
constexpr std::array kUnary = {
    OperatorRow{Op::kNot, "!", kUnaryBinds},
    OperatorRow{Op::kComplement, "~", kUnaryBinds},
    OperatorRow{Op::kNegate, "-", kUnaryBinds},
};

const OperatorRow* row_of(Op op) {
  for (const OperatorRow& row : kBinary) {
    if (row.op == op) return &row;
  }
  for (const OperatorRow& row : kUnary) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

std::string real_text(double value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// Canonical text: single spaces round operators, only the parentheses needed.
class Printer {
 public:
  explicit Printer(const std::vector<Expression::Node>& nodes) : nodes_(nodes) {}

  // The text and how tightly it binds.
  std::pair<std::string, int> print(int index) const {
    const Expression::Node& node = nodes_[static_cast<std::size_t>(index)];
    if (const auto* integer = std::get_if<std::int64_t>(&node.what)) {
      return {std::to_string(*integer), *integer < 0 ? kUnaryBinds : kPrimaryBinds};
    }
    if (const auto* real = std::get_if<double>(&node.what)) {
      return {real_text(*real), std::signbit(*real) ? kUnaryBinds : kPrimaryBinds};
    }
    if (const auto* name = std::get_if<Expression::Name>(&node.what)) {
      return {name->text, kPrimaryBinds};
    }
    if (const auto* function = std::get_if<Fn>(&node.what)) {
      std::string text = std::string(to_string(*function)) + "(";
      for (std::size_t i = 0; i < node.operands.size(); ++i) {
        if (i > 0) text += ", ";
        text += print(node.operands[i]).first;
      }
      return {text + ")", kPrimaryBinds};
    }
    const Op op = std::get<Op>(node.what);
    if (op == Op::kConditional) {
      return {within(node.operands[0], 1) + " ? " + within(node.operands[1], 0) + " : " +
                  within(node.operands[2], 0),
              kConditionalBinds};
    }
    const OperatorRow& row = *row_of(op);
    if (node.operands.size() == 1) {
      return {std::string(row.text) + within(node.operands[0], kPrimaryBinds), kUnaryBinds};
    }
    return {within(node.operands[0], row.binds) + " " + std::string(row.text) + " " +
                within(node.operands[1], row.binds + 1),
            row.binds};
  }

 private:
  std::string within(int index, int least) const {
    auto [text, binds] = print(index);
    return binds < least ? "(" + text + ")" : text;
  }

  const std::vector<Expression::Node>& nodes_;
};

template <class T>
Expression lone(T value) {
  Expression expression;
  expression.nodes.push_back({value, {}, 1});
  expression.text = Printer(expression.nodes).print(0).first;
  return expression;
}

}  // namespace

const FunctionRow* function_row(std::string_view name) {
  for (const FunctionRow& row : kFunctions) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

const OperatorRow* binary_operator(std::string_view text) {
  for (const OperatorRow& row : kBinary) {
    if (row.text == text) return &row;
  }
  return nullptr;
}

std::string canonical_text(const std::vector<Expression::Node>& nodes, int root) {
  return Printer(nodes).print(root).first;
}

Expression literal(std::int64_t value) { return lone(value); }
Expression literal(double value) { return lone(value); }
bool gives_fraction(PlanFunction function) {
  return function == Fn::kSqrt || function == Fn::kRsqrt || function == Fn::kExp ||
         function == Fn::kLog || function == Fn::kPow;
}

bool takes_tensor(PlanFunction function) {
  return function == Fn::kDim || function == Fn::kNumel || function == Fn::kStride;
}

std::string_view to_string(PlanFunction function) {
  for (const FunctionRow& row : kFunctions) {
    if (row.function == function) return row.name;
  }
  return "";
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const FunctionRow& row : kFunctions) names.emplace_back(row.name);
  return names;
}

bool is_plan_name(std::string_view text) {
  if (text.empty() || text.size() > 256 || text.back() == '.') return false;
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (!letter(text[0])) return false;
  for (const char c : text) {
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '.') return false;
  }
  return true;
}

}  // namespace kvgen
