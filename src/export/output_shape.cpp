#include <functional>

#include "export/names.h"

namespace kvgen {
namespace {

// An integer of each variant with the C++ expression that gives it.
struct Known {
  std::string text;
  std::vector<std::int64_t> values;  // by variant
};

std::vector<Known> what_is_known(const Task& task, const ExportNames& names) {
  std::vector<Known> known;
  const std::vector<TensorSpec> first = task.variants.front().tensors();
  for (std::size_t t = 0; t < first.size(); ++t) {
    if (first[t].written()) continue;
    for (std::size_t d = 0; d < first[t].shape.size(); ++d) {
      Known one{"dim_of(" + names.tensor(first[t].name).value_or("?") + ", Number(INT64_C(" +
                    std::to_string(d) + ")))",
                {}};
      for (const Variant& variant : task.variants) {
        const std::vector<TensorSpec> tensors = variant.tensors();
        if (t < tensors.size() && d < tensors[t].shape.size()) {
          one.values.push_back(tensors[t].shape[d]);
        }
      }
      if (one.values.size() == task.variants.size()) known.push_back(std::move(one));
    }
  }
  for (const Symbol& symbol : task.variants.front().symbols) {
    Known one{names.number(symbol.name), {}};
    for (const Variant& variant : task.variants) {
      for (const Symbol& same : variant.symbols) {
        const auto* value = std::get_if<std::int64_t>(&same.value);
        if (same.name == symbol.name && value != nullptr) one.values.push_back(*value);
      }
    }
    if (one.values.size() == task.variants.size()) known.push_back(std::move(one));
  }
  return known;
}

std::string number(std::int64_t value) { return "Number(INT64_C(" + std::to_string(value) + "))"; }

bool holds(const std::vector<std::int64_t>& wanted,
           const std::function<std::int64_t(std::size_t)>& formula) {
  for (std::size_t v = 0; v < wanted.size(); ++v) {
    if (formula(v) != wanted[v]) return false;
  }
  return true;
}

// The simplest formula that holds in every variant; "" when none does.
std::string formula_for(const std::vector<std::int64_t>& wanted, const std::vector<Known>& known) {
  const std::int64_t first = wanted.front();
  const bool constant = holds(wanted, [&](std::size_t) { return first; });
  if (constant && first == 1) return number(1);
  for (const Known& one : known) {
    if (one.values == wanted) return one.text;
  }
  if (constant) return number(first);
  for (const Known& one : known) {
    const std::int64_t base = one.values.front();
    if (holds(wanted, [&](std::size_t v) { return one.values[v] + first - base; })) {
      return "(" + one.text + " + " + number(first - base) + ")";
    }
    if (base > 0 && first % base == 0 &&
        holds(wanted, [&](std::size_t v) { return one.values[v] * (first / base); })) {
      return "(" + one.text + " * " + number(first / base) + ")";
    }
    if (first > 0 && base % first == 0 &&
        holds(wanted, [&](std::size_t v) { return one.values[v] / (base / first); })) {
      return "(" + one.text + " / " + number(base / first) + ")";
    }
  }
  for (const Known& a : known) {
    for (const Known& b : known) {
      if (holds(wanted, [&](std::size_t v) { return a.values[v] * b.values[v]; })) {
        return "(" + a.text + " * " + b.text + ")";
      }
    }
  }
  return "";
}

}  // namespace

std::vector<OutputShape> output_shapes(const Task& task, const ExportNames& names) {
  const std::vector<Known> known = what_is_known(task, names);
  std::vector<OutputShape> shapes;
  const std::vector<TensorSpec> first = task.variants.front().tensors();
  for (std::size_t t = 0; t < first.size(); ++t) {
    if (first[t].role != TensorRole::kOutput) continue;
    OutputShape shape{first[t].name, true, {}};
    for (std::size_t d = 0; d < first[t].shape.size(); ++d) {
      std::vector<std::int64_t> wanted;
      for (const Variant& variant : task.variants) {
        const std::vector<TensorSpec> tensors = variant.tensors();
        if (t < tensors.size() && d < tensors[t].shape.size()) {
          wanted.push_back(tensors[t].shape[d]);
        }
      }
      // With one variant nothing tells a formula from a coincidence.
      const std::string formula = wanted.size() == task.variants.size() && wanted.size() > 1
                                      ? formula_for(wanted, known)
                                      : "";
      shape.known = shape.known && !formula.empty();
      shape.extents.push_back(formula);
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace kvgen
