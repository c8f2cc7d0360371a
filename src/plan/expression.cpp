#include "kvgen/plan/expression.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "plan/lexer.h"
#include "plan/spelling.h"
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

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { advance(); }

  ExpressionParse parse() {
    const int root = conditional();
    if (!failed() && token_.kind != Token::Kind::kEnd) unexpected("an operator");
    if (!failed()) {
      // The root was made last: nothing is made and left out.
      out_.expression.text = canonical_text(out_.expression.nodes, root);
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
      const OperatorRow* found = binary_operator(token_.text);
      if (found == nullptr || found->binds < least) break;
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

}  // namespace kvgen
