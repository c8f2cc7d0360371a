#include "generate/builtin/index.h"

#include <algorithm>
#include <optional>

namespace kvgen::builtin {
namespace {

std::string keys(const Indices& indices) {
  std::string text;
  for (const Index& index : indices) text += index->key + ",";
  return text;
}

Index finish(IndexNode node) {
  using Kind = IndexNode::Kind;
  switch (node.kind) {
    case Kind::kZero:
      node.key = "0";
      break;
    case Kind::kCoordinate:
      node.key = "c" + std::to_string(node.coordinate);
      break;
    case Kind::kLinear:
      node.key = "lin(";
      for (const Part& part : node.parts) node.key += part.index->key + ":" + part.size.text + ",";
      node.key += ")";
      break;
    case Kind::kDigit:
      node.key = "dig(" + node.base->key + "|" + node.inner.text + "|" + node.size.text + ")";
      break;
    case Kind::kFormula:
      node.key = "f(" + node.text + "|" + keys(node.inputs) + "|";
      for (const Size& size : node.sizes) node.key += size.text + ",";
      node.key += ")";
      break;
    case Kind::kValue:
      node.key = "v(" + std::to_string(node.value_of) + "|" + keys(node.inputs) + ")";
      break;
  }
  return std::make_shared<const IndexNode>(std::move(node));
}

bool is(const Index& index, IndexNode::Kind kind) { return index->kind == kind; }

// Adjacent digits of the same position become one wider digit.
std::optional<Part> joined(const Part& high, const Part& low) {
  if (!is(high.index, IndexNode::Kind::kDigit) || !is(low.index, IndexNode::Kind::kDigit)) {
    return std::nullopt;
  }
  const IndexNode& a = *high.index;
  const IndexNode& b = *low.index;
  if (a.base->key != b.base->key || !same(a.inner, b.inner * b.size)) return std::nullopt;
  if (!same(a.size, high.size) || !same(b.size, low.size)) return std::nullopt;
  const Size size = a.size * b.size;
  return Part{digit(a.base, a.total, b.inner, size), size};
}

void append(std::vector<Part>& parts, const Part& part) {
  if (part.size.is_unit()) return;
  if (is(part.index, IndexNode::Kind::kLinear)) {
    // Only where it fills the part: the first rows of a larger dimension do not.
    Size whole = number(1, part.size.at.size());
    for (const Part& inner : part.index->parts) whole = whole * inner.size;
    if (same(whole, part.size)) {
      for (const Part& inner : part.index->parts) append(parts, inner);
      return;
    }
  }
  if (!parts.empty()) {
    if (const auto both = joined(parts.back(), part)) {
      parts.pop_back();
      append(parts, *both);
      return;
    }
  }
  parts.push_back(part);
}

}  // namespace

Index zero() {
  static const Index kZero = finish({});
  return kZero;
}

Index coordinate(int number) {
  IndexNode node;
  node.kind = IndexNode::Kind::kCoordinate;
  node.coordinate = number;
  return finish(std::move(node));
}

Index linear(std::vector<Part> parts) {
  std::vector<Part> flat;
  for (const Part& part : parts) append(flat, part);
  const auto first = std::find_if(flat.begin(), flat.end(), [](const Part& part) {
    return !is(part.index, IndexNode::Kind::kZero);
  });
  flat.erase(flat.begin(), first);
  if (flat.empty()) return zero();
  if (flat.size() == 1) return flat.front().index;
  IndexNode node;
  node.kind = IndexNode::Kind::kLinear;
  node.parts = std::move(flat);
  return finish(std::move(node));
}

Index digit(const Index& base, const Size& total, const Size& inner, const Size& size) {
  if (size.is_unit() || is(base, IndexNode::Kind::kZero)) return zero();
  if (inner.is_unit() && same(size, total)) return base;
  if (is(base, IndexNode::Kind::kDigit) && same(base->size, total)) {
    return digit(base->base, base->total, base->inner * inner, size);
  }
  if (is(base, IndexNode::Kind::kLinear)) {
    // Look for the run of parts that is exactly this digit.
    Size below = number(1, size.at.size());
    std::size_t end = base->parts.size();
    while (end > 0 && !same(below, inner)) below = base->parts[--end].size * below;
    Size run = number(1, size.at.size());
    std::size_t begin = end;
    while (begin > 0 && !same(run, size)) run = base->parts[--begin].size * run;
    if (same(below, inner) && same(run, size)) {
      return linear({base->parts.begin() + static_cast<std::ptrdiff_t>(begin),
                     base->parts.begin() + static_cast<std::ptrdiff_t>(end)});
    }
  }
  IndexNode node;
  node.kind = IndexNode::Kind::kDigit;
  node.base = base;
  node.total = total;
  node.inner = inner;
  node.size = size;
  return finish(std::move(node));
}

Index formula(const std::string& text, Indices inputs, Sizes sizes) {
  if (text == "$0" && sizes.empty()) return inputs[0];
  IndexNode node;
  node.kind = IndexNode::Kind::kFormula;
  node.text = text;
  node.inputs = std::move(inputs);
  node.sizes = std::move(sizes);
  return finish(std::move(node));
}

Index value_at(int number, Indices inputs) {
  IndexNode node;
  node.kind = IndexNode::Kind::kValue;
  node.value_of = number;
  node.inputs = std::move(inputs);
  return finish(std::move(node));
}

void visit_values(const Index& index, const std::function<void(const IndexNode&)>& visit) {
  for (const Part& part : index->parts) visit_values(part.index, visit);
  for (const Index& input : index->inputs) visit_values(input, visit);
  if (index->base) visit_values(index->base, visit);
  if (index->kind == IndexNode::Kind::kValue) visit(*index);
}

Index flatten(const Indices& indices, const Sizes& shape) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < indices.size(); ++i) parts.push_back({indices[i], shape[i]});
  return linear(std::move(parts));
}

Indices unflatten(const Index& position, const Sizes& shape, std::size_t variants) {
  const Size total = product(shape, variants);
  Indices indices(shape.size());
  Size inner = number(1, variants);
  for (std::size_t i = shape.size(); i-- > 0;) {
    indices[i] = digit(position, total, inner, shape[i]);
    inner = shape[i] * inner;
  }
  return indices;
}

bool same(const Indices& a, const Indices& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Index& x, const Index& y) { return x->key == y->key; });
}

}  // namespace kvgen::builtin
