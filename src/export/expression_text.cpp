#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "export/names.h"

namespace kvgen {
namespace {

using Op = PlanOperator;
using Fn = PlanFunction;

std::string identifier(const std::string& prefix, const std::string& name) {
  std::string out = prefix;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

std::string literal_text(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "Number(INT64_MIN)";
  return "Number(INT64_C(" + std::to_string(value) + "))";
}

std::string literal_text(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  std::string out = text.data();
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return "Number(" + out + ")";
}

const char* symbol_of(Op op) {
  switch (op) {
    case Op::kBitOr:
      return "|";
    case Op::kBitXor:
      return "^";
    case Op::kBitAnd:
      return "&";
    case Op::kEqual:
      return "==";
    case Op::kNotEqual:
      return "!=";
    case Op::kLess:
      return "<";
    case Op::kLessEqual:
      return "<=";
    case Op::kGreater:
      return ">";
    case Op::kGreaterEqual:
      return ">=";
    case Op::kShiftLeft:
      return "<<";
    case Op::kShiftRight:
      return ">>";
    case Op::kAdd:
      return "+";
    case Op::kSubtract:
      return "-";
    case Op::kMultiply:
      return "*";
    case Op::kDivide:
      return "/";
    case Op::kRemainder:
      return "%";
    case Op::kNot:
      return "!";
    case Op::kComplement:
      return "~";
    case Op::kNegate:
      return "-";
    default:
      return "";
  }
}

class Writer {
 public:
  Writer(const Expression& expression, const ExportNames& names)
      : expression_(expression), names_(names) {}

  std::string value(int index, bool real) const {
    const Expression::Node& node = expression_.nodes[static_cast<std::size_t>(index)];
    if (const auto* integer = std::get_if<std::int64_t>(&node.what)) return literal_text(*integer);
    if (const auto* fraction = std::get_if<double>(&node.what)) return literal_text(*fraction);
    if (const auto* name = std::get_if<Expression::Name>(&node.what)) {
      return names_.number(name->text);
    }
    if (const auto* function = std::get_if<Fn>(&node.what)) return call(*function, node, real);
    return operation(std::get<Op>(node.what), node, real);
  }

 private:
  std::string call(Fn function, const Expression::Node& node, bool real) const {
    const std::string suffix = takes_tensor(function) ? "_of" : "";
    const std::string name = std::string(to_string(function)) + suffix;
    std::vector<std::string> operands;
    std::size_t first = 0;
    if (takes_tensor(function)) {
      const auto& tensor = expression_.nodes[static_cast<std::size_t>(node.operands[0])];
      operands.push_back(names_.tensor(std::get<Expression::Name>(tensor.what).text).value_or("?"));
      first = 1;
    }
    const bool keeps = function == Fn::kMin || function == Fn::kMax || function == Fn::kAbs;
    for (std::size_t i = first; i < node.operands.size(); ++i) {
      operands.push_back(value(node.operands[i], gives_fraction(function) || (keeps && real)));
    }
    std::string list;
    for (const std::string& one : operands) list += (list.empty() ? "" : ", ") + one;
    const bool braces = function == Fn::kMin || function == Fn::kMax;
    return name + (braces ? "({" : "(") + list + (braces ? "})" : ")");
  }

  std::string operation(Op op, const Expression::Node& node, bool real) const {
    const std::string a = value(node.operands[0], real);
    if (op == Op::kConditional) {
      return "(truth(" + a + ") ? " + value(node.operands[1], real) + " : " +
             value(node.operands[2], real) + ")";
    }
    if (node.operands.size() == 1) return "(" + std::string(symbol_of(op)) + a + ")";
    const std::string b = value(node.operands[1], real);
    if (op == Op::kOr) return "from_bool(truth(" + a + ") || truth(" + b + "))";
    if (op == Op::kAnd) return "from_bool(truth(" + a + ") && truth(" + b + "))";
    if (op == Op::kDivide && real) return "real_div(" + a + ", " + b + ")";
    return "(" + a + " " + symbol_of(op) + " " + b + ")";
  }

  const Expression& expression_;
  const ExportNames& names_;
};

}  // namespace

ExportNames::ExportNames(const Plan& plan, const Variant& variant) {
  for (const char* name : {"wave", "device.cus", "device.lds"}) {
    numbers_[name] = unused(identifier("", name));
  }
  for (const TensorSpec& spec : variant.tensors()) {
    tensors_[spec.name] = unused(identifier("t_", spec.name));
    dtypes_[spec.name] = spec.dtype;
  }
  for (const PlanBuffer& buffer : plan.buffers) {
    tensors_[buffer.name] = unused(identifier("b_", buffer.name));
    dtypes_[buffer.name] = buffer.dtype;
  }
  for (const Symbol& symbol : variant.symbols) {
    numbers_[symbol.name] = unused(identifier("s_", symbol.name));
  }
  for (const PlanLet& let : plan.lets) {
    numbers_[let.name] = unused(identifier("let_", let.name));
    lets_[let.name] = false;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const PlanLet& let : plan.lets) {
      if (lets_[let.name] || !is_real(let.value, variant)) continue;
      lets_[let.name] = true;
      changed = true;
    }
  }
}

bool ExportNames::is_real(const Expression& expression, const Variant& variant) const {
  return std::any_of(
      expression.nodes.begin(), expression.nodes.end(), [&](const Expression::Node& node) {
        if (std::holds_alternative<double>(node.what)) return true;
        if (const auto* function = std::get_if<Fn>(&node.what)) return gives_fraction(*function);
        const auto* name = std::get_if<Expression::Name>(&node.what);
        if (name == nullptr) return false;
        const auto let = lets_.find(name->text);
        if (let != lets_.end()) return let->second;
        return std::any_of(variant.symbols.begin(), variant.symbols.end(), [&](const Symbol& s) {
          return s.name == name->text && std::holds_alternative<double>(s.value);
        });
      });
}

std::string ExportNames::unused(std::string wanted) {
  const int times = taken_[wanted]++;
  if (times > 0) wanted += "_" + std::to_string(times);
  return wanted;
}

void ExportNames::add_counter(const std::string& name) {
  numbers_[name] = unused(identifier("i_", name));
}

bool ExportNames::is_device(const std::string& name) {
  return name == "wave" || name == "device.cus" || name == "device.lds";
}

const std::string& ExportNames::variable(const std::string& name) const {
  return numbers_.at(name);
}

std::string ExportNames::number(const std::string& name) const {
  return variable(name) + (is_let(name) ? "()" : "");
}

std::optional<std::string> ExportNames::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return std::nullopt;
  return found->second;
}

std::string expression_text(const Expression& expression, bool real, const ExportNames& names) {
  return Writer(expression, names).value(expression.root(), real);
}

}  // namespace kvgen
