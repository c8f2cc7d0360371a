#include "kvgen/plan/expression.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "plan/lexer.h"
#include "plan/suggest.h"
#include "plan/text.h"

namespace kvgen {
namespace {

using Op = PlanOperator;
using Fn = PlanFunction;

constexpr std::size_t kMostCharacters = 4096;
constexpr int kMostNodes = 1024;
constexpr int kDeepest = 200;
constexpr int kDeepestNesting = 64;  // of what the parser recurses on

struct FunctionRow {
  Fn function;
  std::string_view name;
  int least;
  int most;
};
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

struct OperatorRow {
  Op op;
  std::string_view text;
  int binds;  // higher binds tighter
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

const FunctionRow* function_row(std::string_view name) {
  for (const FunctionRow& row : kFunctions) {
    if (row.name == name) return &row;
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

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { advance(); }

  ExpressionParse parse() {
    const int root = conditional();
    if (!failed() && token_.kind != Token::Kind::kEnd) unexpected("an operator");
    if (!failed()) {
      // The root was made last: nothing is made and left out.
      out_.expression.text = Printer(out_.expression.nodes).print(root).first;
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool failed() const { return !out_.problem.empty(); }

  int fail(std::string problem, std::string suggestion = "") {
    if (!failed()) {
      out_.problem = std::move(problem);
      out_.suggestion = std::move(suggestion);
    }
    token_ = Token{};
    return 0;
  }

  void advance() {
    if (failed()) return;
    token_ = lexer_.next();
    if (token_.kind == Token::Kind::kBad) fail(token_.problem);
  }

  [[nodiscard]] bool at(std::string_view symbol) const {
    return token_.kind == Token::Kind::kSymbol && token_.text == symbol;
  }
  bool take(std::string_view symbol) {
    if (!at(symbol)) return false;
    advance();
    return true;
  }
  void expect(std::string_view symbol) {
    if (!take(symbol)) unexpected(quote(symbol));
  }

  int unexpected(std::string_view wanted) {
    if (failed()) return 0;
    if (token_.kind == Token::Kind::kEnd)
      return fail("ends where " + std::string(wanted) + " should stand");
    std::string hint;
    if (token_.text == "and") hint = "&&";
    if (token_.text == "or") hint = "||";
    if (token_.text == "if") hint = "condition ? a : b";
    if (token_.text == "**") hint = "pow(a, b)";
    return fail(quote(token_.text) + " where " + std::string(wanted) + " should stand", hint);
  }

  int make(decltype(Expression::Node::what) what, std::vector<int> operands = {}) {
    if (failed()) return 0;
    auto& nodes = out_.expression.nodes;
    int depth = 1;
    for (const int operand : operands) {
      depth = std::max(depth, nodes[static_cast<std::size_t>(operand)].depth + 1);
    }
    if (static_cast<int>(nodes.size()) >= kMostNodes || depth > kDeepest) {
      return fail("is too long: at most " + std::to_string(kMostNodes) + " terms and " +
                  std::to_string(kDeepest) + " levels");
    }
    nodes.push_back({std::move(what), std::move(operands), depth});
    return static_cast<int>(nodes.size()) - 1;
  }

  void remark(std::string text) {
    if (out_.remarks.size() < 16) out_.remarks.push_back(std::move(text));
  }

  int conditional() {
    if (++nesting_ > kDeepestNesting) return fail("is nested too deeply");
    int result = binary(1);
    if (take("?")) {
      const int yes = conditional();
      expect(":");
      const int no = conditional();
      result = make(Op::kConditional, {result, yes, no});
    }
    --nesting_;
    return result;
  }

  int binary(int least) {
    int left = unary();
    while (!failed() && token_.kind == Token::Kind::kSymbol) {
      if (token_.text == "//" && least <= 10) {
        advance();
        const int right = unary();
        left = make(Fn::kFloorDiv, {left, right});
        if (!failed()) remark("a // b read as floor_div(a, b)");
        continue;
      }
      const OperatorRow* found = nullptr;
      for (const OperatorRow& row : kBinary) {
        if (row.text == token_.text && row.binds >= least) found = &row;
      }
      if (found == nullptr) break;
      advance();
      const int right = binary(found->binds + 1);
      left = make(found->op, {left, right});
    }
    return left;
  }

  int unary() {
    if (++nesting_ > kDeepestNesting) return fail("is nested too deeply");
    int result = 0;
    if (take("+")) {
      result = unary();
    } else if (take("-")) {
      result = negated(unary());
    } else if (take("!")) {
      result = make(Op::kNot, {unary()});
    } else if (take("~")) {
      result = make(Op::kComplement, {unary()});
    } else {
      result = primary();
    }
    --nesting_;
    return result;
  }

  int negated(int operand) {
    if (failed()) return 0;
    auto& node = out_.expression.nodes[static_cast<std::size_t>(operand)];
    if (auto* integer = std::get_if<std::int64_t>(&node.what); integer != nullptr && *integer > 0) {
      *integer = -*integer;
      return operand;
    }
    if (auto* real = std::get_if<double>(&node.what)) {
      *real = -*real;
      return operand;
    }
    return make(Op::kNegate, {operand});
  }

  int primary() {
    const Token token = token_;
    switch (token.kind) {
      case Token::Kind::kInteger:
        advance();
        return make(token.integer);
      case Token::Kind::kReal:
        advance();
        return make(token.real);
      case Token::Kind::kName:
        advance();
        return named(token.text);
      default:
        break;
    }
    if (take("(")) {
      const int inner = conditional();
      expect(")");
      return inner;
    }
    return unexpected("a value");
  }

  int named(std::string_view name) {
    if (at("(")) {
      if (const auto method = split_method(name); !method.second.empty()) {
        return method_call(method.first, method.second, name);
      }
      return call(name);
    }
    if (at("[")) {
      const auto method = split_method(name);
      if (method.second != "shape")
        return fail(quote(name) + " cannot be indexed: data is never read");
      advance();
      const int index = conditional();
      expect("]");
      return tensor_call(Fn::kDim, method.first, {index}, std::string(name) + "[i]");
    }
    if (name == "True" || name == "False") {
      remark(std::string(name) + " read as " + (name == "True" ? "1" : "0"));
      return make(std::int64_t{name == "True" ? 1 : 0});
    }
    if (name == "not") return fail("\"not\" is not an operator", "!");
    if (!is_plan_name(name)) return fail(quote(name) + " is not a name");
    return make(Expression::Name{std::string(name)});
  }

  static std::pair<std::string_view, std::string_view> split_method(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return {name, ""};
    const std::string_view method = name.substr(dot + 1);
    if (method == "size" || method == "shape" || method == "numel" || method == "stride" ||
        method == "dim") {
      return {name.substr(0, dot), method};
    }
    return {name, ""};
  }

  std::vector<int> arguments() {
    std::vector<int> list;
    expect("(");
    if (take(")")) return list;
    do {
      list.push_back(conditional());
    } while (!failed() && take(","));
    expect(")");
    return list;
  }

  int tensor_call(Fn function, std::string_view tensor, const std::vector<int>& rest,
                  const std::string& written) {
    if (!is_plan_name(tensor)) return fail(quote(tensor) + " is not a name");
    std::vector<int> operands = {make(Expression::Name{std::string(tensor)})};
    operands.insert(operands.end(), rest.begin(), rest.end());
    const std::string second = operands.size() > 1 ? ", i)" : ")";
    remark(written + " read as " + std::string(to_string(function)) + "(" + std::string(tensor) +
           second);
    return make(function, std::move(operands));
  }

  int method_call(std::string_view tensor, std::string_view method, std::string_view name) {
    const std::vector<int> rest = arguments();
    if (failed()) return 0;
    const std::string written = std::string(name);
    if (method == "numel" && rest.empty()) {
      return tensor_call(Fn::kNumel, tensor, rest, written + "()");
    }
    if (rest.size() == 1 && (method == "size" || method == "shape")) {
      return tensor_call(Fn::kDim, tensor, rest, written + "(i)");
    }
    if (rest.size() == 1 && method == "stride") {
      return tensor_call(Fn::kStride, tensor, rest, written + "(i)");
    }
    return fail(quote(name) + " cannot be called so", "dim(" + std::string(tensor) + ", i)");
  }

  int call(std::string_view name) {
    const bool cdiv = name == "cdiv";
    const FunctionRow* row = function_row(cdiv ? "ceil_div" : name);
    if (row == nullptr) {
      return fail("unknown function " + quote(name), nearest(name, function_names()));
    }
    if (cdiv) remark("cdiv read as ceil_div");
    std::vector<int> list = arguments();
    if (failed()) return 0;
    const int count = static_cast<int>(list.size());
    if (count < row->least || count > row->most) {
      const std::string wanted =
          row->least == row->most ? std::to_string(row->least)
                                  : std::to_string(row->least) + " to " + std::to_string(row->most);
      return fail(std::string(name) + " takes " + wanted +
                  (row->most == 1 ? " argument" : " arguments") + ", not " + std::to_string(count));
    }
    if (takes_tensor(row->function)) {
      const auto& first = out_.expression.nodes[static_cast<std::size_t>(list[0])];
      if (!std::holds_alternative<Expression::Name>(first.what)) {
        return fail(std::string(name) + " takes a tensor's name first");
      }
    }
    return make(row->function, std::move(list));
  }

  Lexer lexer_;
  Token token_;
  ExpressionParse out_;
  int nesting_ = 0;
};

template <class T>
Expression lone(T value) {
  Expression expression;
  expression.nodes.push_back({value, {}, 1});
  expression.text = Printer(expression.nodes).print(0).first;
  return expression;
}

}  // namespace

std::string_view Expression::lone_name() const {
  if (nodes.size() != 1) return "";
  const auto* name = std::get_if<Name>(&nodes[0].what);
  return name == nullptr ? std::string_view() : std::string_view(name->text);
}

ExpressionParse parse_expression(std::string_view text) {
  if (text.size() > kMostCharacters) {
    ExpressionParse out;
    out.problem = "is longer than " + std::to_string(kMostCharacters) + " characters";
    return out;
  }
  return Parser(text).parse();
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
