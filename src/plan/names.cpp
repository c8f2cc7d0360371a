#include "plan/names.h"

#include <algorithm>
#include <tuple>

#include "plan/suggest.h"

namespace kvgen {
namespace {

std::string_view kind_text(Named::Kind kind) {
  switch (kind) {
    case Named::Kind::kTensor:
      return "a tensor of the task";
    case Named::Kind::kBuffer:
      return "a buffer of the plan";
    case Named::Kind::kLet:
      return "a let";
    case Named::Kind::kSymbol:
      return "a symbol of the task";
    default:
      return "reserved";
  }
}

}  // namespace

bool is_reserved(std::string_view name) {
  if (name == "wave" || name == "device.cus" || name == "device.lds") return true;
  if (name == "cdiv" || name == "True" || name == "False") return true;
  const auto functions = function_names();
  return std::find(functions.begin(), functions.end(), name) != functions.end();
}

Names::Names(const Plan& plan, const Variant& variant)
    : plan_(plan), variant_(variant), tensors_(variant.tensors()) {
  const auto add = [this](std::string name, Named::Kind kind, std::size_t index) {
    table_.emplace_back(std::move(name), Named{kind, static_cast<int>(index)});
  };
  add("wave", Named::Kind::kWave, 0);
  add("device.cus", Named::Kind::kCus, 0);
  add("device.lds", Named::Kind::kLds, 0);
  for (std::size_t i = 0; i < tensors_.size(); ++i) add(tensors_[i].name, Named::Kind::kTensor, i);
  for (std::size_t i = 0; i < variant.symbols.size(); ++i) {
    add(variant.symbols[i].name, Named::Kind::kSymbol, i);
  }
  for (std::size_t i = 0; i < plan.lets.size(); ++i) add(plan.lets[i].name, Named::Kind::kLet, i);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    add(plan.buffers[i].name, Named::Kind::kBuffer, i);
  }
  std::sort(table_.begin(), table_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.kind) < std::tie(b.first, b.second.kind);
  });

  real_lets_.assign(plan.lets.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < plan.lets.size(); ++i) {
      if (real_lets_[i] || !real(plan.lets[i].value)) continue;
      real_lets_[i] = true;
      changed = true;
    }
  }
}

std::optional<PlanFault> Names::clash() const {
  for (std::size_t i = 1; i < table_.size(); ++i) {
    const auto& [name, first] = table_[i - 1];
    const auto& [again, second] = table_[i];
    if (name != again || second.kind == Named::Kind::kSymbol) continue;
    const bool buffer = second.kind == Named::Kind::kBuffer;
    if (!buffer && second.kind != Named::Kind::kLet) continue;
    return PlanFault{(buffer ? "buffers." : "let.") + name,
                     "\"" + name + "\" is already " + std::string(kind_text(first.kind)) +
                         ": one name, one thing",
                     ""};
  }
  return std::nullopt;
}

std::optional<Named> Names::find(std::string_view name) const {
  const auto at = std::lower_bound(
      table_.begin(), table_.end(), name,
      [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  if (at == table_.end() || at->first != name) return std::nullopt;
  return at->second;
}

std::string Names::near(std::string_view name, const std::vector<std::string>& extra) const {
  std::vector<std::string> known = extra;
  for (const auto& [one, what] : table_) known.push_back(one);
  return nearest(name, known);
}

bool Names::real(const Expression& expression) const {
  // Only what the value is made of: operands of integer functions stay integers.
  std::vector<int> open = {expression.root()};
  while (!open.empty()) {
    const Expression::Node& node = expression.nodes[static_cast<std::size_t>(open.back())];
    open.pop_back();
    if (std::holds_alternative<double>(node.what)) return true;
    if (const auto* function = std::get_if<PlanFunction>(&node.what)) {
      if (gives_fraction(*function)) return true;
      const bool passes = *function == PlanFunction::kMin || *function == PlanFunction::kMax ||
                          *function == PlanFunction::kAbs;
      if (!passes) continue;
    }
    if (const auto* name = std::get_if<Expression::Name>(&node.what)) {
      const auto found = find(name->text);
      if (!found) continue;
      if (found->kind == Named::Kind::kLet && real_let(found->index)) return true;
      const bool symbol = found->kind == Named::Kind::kSymbol;
      if (symbol && variant_.symbols[static_cast<std::size_t>(found->index)].value.index() == 1) {
        return true;
      }
    }
    open.insert(open.end(), node.operands.begin(), node.operands.end());
  }
  return false;
}

}  // namespace kvgen
