#include <string>

#include "generate/builtin/builder.h"

// The nodes that rearrange, choose and number elements by their indices.
namespace kvgen::builtin {
namespace {

std::string text_of(const IndexFormula& formula) {
  std::string text = formula.text + "|" + std::to_string(formula.index_node) + "|";
  for (const int dim : formula.dims) text += std::to_string(dim) + ",";
  for (const Size& size : formula.sizes) text += size.text + ",";
  return text + ";";
}

std::string text_of(const Sizes& sizes) {
  std::string text;
  for (const Size& size : sizes) text += size.text + ",";
  return text;
}

bool is_zero(const Size& size) { return size.text == "0"; }

}  // namespace

int Builder::map(int id, Sizes shape, std::vector<IndexFormula> maps) {
  if (declined_ || id < 0) return -1;
  Node node;
  node.kind = Kind::kView;
  node.view = ViewKind::kMap;
  node.dtype = dtype(id);
  node.inputs = {id};
  std::string key = "map " + std::to_string(id) + " " + text_of(shape) + " ";
  for (const IndexFormula& formula : maps) {
    key += text_of(formula);
    if (formula.index_node >= 0) node.inputs.push_back(formula.index_node);
  }
  node.shape = std::move(shape);
  node.maps = std::move(maps);
  return keyed(std::move(node), key);
}

int Builder::remap(int id, int dim, const Size& size, IndexFormula where) {
  if (declined_ || id < 0) return -1;
  Sizes target = shape(id);
  std::vector<IndexFormula> maps;
  for (std::size_t d = 0; d < target.size(); ++d) {
    maps.push_back({"$0", {static_cast<int>(d)}, {}, -1});
  }
  maps[static_cast<std::size_t>(dim)] = std::move(where);
  target[static_cast<std::size_t>(dim)] = size;
  return map(id, std::move(target), std::move(maps));
}

int Builder::slice(int id, int dim, const Size& start, const Size& step, const Size& size) {
  IndexFormula where{"$0", {dim}, {}, -1};
  if (!step.is_unit()) {
    where.text = "$0 * #0";
    where.sizes.push_back(step);
  }
  if (!is_zero(start)) {
    where.text += " + #" + std::to_string(where.sizes.size());
    where.sizes.push_back(start);
  }
  return remap(id, dim, size, std::move(where));
}

int Builder::guard(IndexFormula condition, int inside, int outside) {
  if (declined_ || inside < 0 || outside < 0) return -1;
  Node node;
  node.kind = Kind::kGuard;
  const int shaped = program_[inside].kind == Kind::kScalar ? outside : inside;
  node.dtype = dtype(shaped);
  node.computes_in = node.dtype;
  node.shape = shape(shaped);
  node.inputs = {inside, outside};
  const std::string key =
      "guard " + text_of(condition) + std::to_string(inside) + "," + std::to_string(outside);
  node.formula_of_indices = std::move(condition);
  return keyed(std::move(node), key);
}

int Builder::position(Sizes shape, IndexFormula value) {
  if (declined_) return -1;
  Node node;
  node.kind = Kind::kPosition;
  node.dtype = DType::kInt64;
  const std::string key = "position " + text_of(value) + text_of(shape);
  node.shape = std::move(shape);
  node.formula_of_indices = std::move(value);
  return keyed(std::move(node), key);
}

int Builder::pad(int id, const Sizes& before, const Sizes& after, int value) {
  if (declined_ || id < 0) return -1;
  Sizes target = shape(id);
  std::vector<IndexFormula> maps;
  IndexFormula inside{"", {}, {}, -1};
  for (std::size_t d = 0; d < target.size(); ++d) {
    const auto dim = static_cast<int>(d);
    maps.push_back({"$0", {dim}, {}, -1});
    if (is_zero(before[d]) && is_zero(after[d])) continue;
    const Size end = before[d] + target[d];
    target[d] = named(end + after[d]);
    const std::string at = "$" + std::to_string(inside.dims.size());
    inside.dims.push_back(dim);
    std::string condition;
    if (!is_zero(before[d])) {
      maps.back() = {"$0 - #0", {dim}, {before[d]}, -1};
      condition = at + " >= #" + std::to_string(inside.sizes.size());
      inside.sizes.push_back(before[d]);
    }
    if (!is_zero(after[d])) {
      condition +=
          (condition.empty() ? "" : " && ") + at + " < #" + std::to_string(inside.sizes.size());
      inside.sizes.push_back(named(end));
    }
    inside.text += (inside.text.empty() ? "" : " && ") + condition;
  }
  if (inside.dims.empty()) return id;
  return guard(std::move(inside), map(id, std::move(target), std::move(maps)), value);
}

int Builder::cat(const std::vector<int>& parts, int dim) {
  if (declined_ || parts.empty()) return -1;
  const auto d = static_cast<std::size_t>(dim);
  Sizes starts;
  Size total = number(0);
  for (const int part : parts) {
    if (part < 0) return -1;
    starts.push_back(total);
    total = named(total + shape(part)[d]);
  }
  int value = -1;
  for (std::size_t i = parts.size(); i-- > 0;) {
    IndexFormula where{"$0", {dim}, {}, -1};
    if (!is_zero(starts[i])) where = {"$0 - #0", {dim}, {starts[i]}, -1};
    const int moved = remap(parts[i], dim, total, std::move(where));
    value = value < 0 ? moved : guard({"$0 < #0", {dim}, {starts[i + 1]}, -1}, moved, value);
  }
  return value;
}

}  // namespace kvgen::builtin
