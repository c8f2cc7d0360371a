#include <algorithm>
#include <map>
#include <string>

#include "generate/builtin/lower.h"

namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

// Puts dimensions of size 1 in front until the rank is reached.
int widened(Scope& s, int id, std::size_t rank) {
  if (id < 0) return -1;
  Sizes sizes = s.b.shape(id);
  while (sizes.size() < rank) sizes.insert(sizes.begin(), s.b.number(1));
  return s.b.reshape(id, sizes);
}

// torch.matmul for matrices and stacks of them; vectors become matrices.
int product_of(Scope& s, int a, int b) {
  if (a < 0 || b < 0) return -1;
  const DType dtype = s.result_dtype();
  if (!is_floating(dtype) || dtype == DType::kFloat64) return s.unusual();
  if (s.b.shape(a).empty() || s.b.shape(b).empty()) return s.unusual();
  const bool row = s.b.shape(a).size() == 1;
  const bool column = s.b.shape(b).size() == 1;
  if (row) a = widened(s, a, 2);
  if (column) b = s.b.reshape(b, {s.b.shape(b)[0], s.b.number(1)});
  if (a < 0 || b < 0) return -1;
  // A stack times one matrix is one product with more rows.
  if (s.b.shape(a).size() > 2 && s.b.shape(b).size() == 2) {
    Sizes result = s.b.shape(a);
    const Size depth = result.back();
    result.pop_back();
    const int flat = s.b.reshape(a, {product(result, s.b.variants()), depth});
    result.push_back(s.b.shape(b)[1]);
    int value = s.b.reshape(s.b.matmul(flat, b), result);
    if (value >= 0 && column) value = s.b.squeeze(value, {static_cast<int>(result.size()) - 1});
    return value;
  }
  const std::size_t rank = std::max(s.b.shape(a).size(), s.b.shape(b).size());
  a = widened(s, a, rank);
  b = widened(s, b, rank);
  if (a < 0 || b < 0) return -1;
  Sizes shape_a = s.b.shape(a);
  Sizes shape_b = s.b.shape(b);
  for (std::size_t i = 0; i + 2 < rank; ++i) {
    if (shape_a[i].all_ones()) shape_a[i] = shape_b[i];
    if (shape_b[i].all_ones()) shape_b[i] = shape_a[i];
  }
  int value = s.b.matmul(s.b.broadcast_to(a, shape_a), s.b.broadcast_to(b, shape_b));
  std::vector<int> dropped;
  if (row) dropped.push_back(static_cast<int>(rank) - 2);
  if (column) dropped.push_back(static_cast<int>(rank) - 1);
  return dropped.empty() ? value : s.b.squeeze(value, dropped);
}

Results matmul(Scope& s) { return {product_of(s, s.tensor(0, "self"), s.tensor(1, "other"))}; }

Results mm(Scope& s) { return {product_of(s, s.tensor(0, "self"), s.tensor(1, "mat2"))}; }

Results linear(Scope& s) {
  const int input = s.tensor(0, "input");
  const int weight = s.tensor(1, "weight");
  if (input < 0 || weight < 0 || s.b.shape(weight).size() != 2) return {s.unusual()};
  const int value = product_of(s, input, s.b.permute(weight, {1, 0}));
  if (!s.has(2, "bias")) return {value};
  return {s.b.pointwise("($0 + $1)", {value, s.tensor(2, "bias")}, s.result_dtype())};
}

// beta * self + alpha * (a @ b); beta 0 ignores self, NaN and all.
Results added(Scope& s, const char* first, const char* second) {
  const DType dtype = s.result_dtype();
  int value = product_of(s, s.tensor(1, first), s.tensor(2, second));
  if (s.has(4, "alpha")) {
    value = s.b.pointwise("($0 * $1)", {value, s.b.scalar(s.call, 4, "alpha")}, dtype);
  }
  const int self = s.tensor(0, "self");
  if (!s.has(3, "beta")) return {s.b.pointwise("($1 + $0)", {value, self}, dtype)};
  const auto beta = s.call.number_at(3, "beta");
  if (!beta || std::find(beta->at.begin(), beta->at.end(), 0) != beta->at.end()) {
    return {s.unusual()};
  }
  return {s.b.pointwise("($2 * $1 + $0)", {value, self, s.b.scalar(s.call, 3, "beta")}, dtype)};
}

// Two operands without repeated letters: letters of both that the result has are
// the stack, those that it lacks the depth, the others rows and columns.
Results einsum(Scope& s) {
  const auto equation = s.call.text(0, "equation", "");
  const std::vector<int> operands = s.tensors(1, "tensors");
  if (!equation || operands.size() != 2 || s.b.declined()) return {s.unusual()};
  std::string text = *equation;
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t comma = text.find(',');
  const std::size_t arrow = text.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || arrow < comma ||
      text.find('.') != std::string::npos) {
    return {s.unusual()};
  }
  const std::string of[] = {text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1)};
  const std::string result = text.substr(arrow + 2);
  const auto has = [](const std::string& letters, char c) {
    return letters.find(c) != std::string::npos;
  };
  std::string stack, depth, own[2];
  for (const int side : {0, 1}) {
    for (const char c : of[side]) {
      if (std::count(of[side].begin(), of[side].end(), c) > 1) return {s.unusual()};
      const bool shared = has(of[1 - side], c);
      if (!shared && !has(result, c)) return {s.unusual()};
      if (!shared) own[side] += c;
      if (shared && side == 0) (has(result, c) ? stack : depth) += c;
    }
    if (of[side].size() != s.b.shape(operands[static_cast<std::size_t>(side)]).size()) {
      return {s.unusual()};
    }
  }
  std::map<char, Size> sizes;
  int matrices[2];
  for (const int side : {0, 1}) {
    const int id = operands[static_cast<std::size_t>(side)];
    const std::string order = side == 0 ? stack + own[0] + depth : stack + depth + own[1];
    std::vector<int> places;
    for (const char c : order) {
      places.push_back(static_cast<int>(of[side].find(c)));
      const Size& size = s.b.shape(id)[of[side].find(c)];
      const auto [known, fresh] = sizes.emplace(c, size);
      if (!fresh && !same(known->second, size)) return {s.unusual()};
    }
    const auto all = [&](const std::string& letters) {
      Size size = s.b.number(1);
      for (const char c : letters) size = size * sizes.at(c);
      return size;
    };
    const Size first = side == 0 ? all(own[0]) : all(depth);
    const Size second = side == 0 ? all(depth) : all(own[1]);
    matrices[side] = s.b.reshape(s.b.permute(id, places), {all(stack), first, second});
  }
  int value = product_of(s, matrices[0], matrices[1]);
  const std::string made = stack + own[0] + own[1];
  Sizes split;
  for (const char c : made) split.push_back(sizes.at(c));
  value = s.b.reshape(value, split);
  std::vector<int> order;
  for (const char c : result) {
    if (!has(made, c)) return {s.unusual()};
    order.push_back(static_cast<int>(made.find(c)));
  }
  return {s.b.permute(value, order)};
}

}  // namespace

void add_matmul_rules(Rules& rules) {
  const Rules more = {
      {"matmul", matmul},
      {"mm", mm},
      {"bmm", mm},
      {"mv",
       [](Scope& s) -> Results {
         return {product_of(s, s.tensor(0, "self"), s.tensor(1, "vec"))};
       }},
      {"linear", linear},
      {"einsum", einsum},
      {"addmm", [](Scope& s) { return added(s, "mat1", "mat2"); }},
      {"baddbmm", [](Scope& s) { return added(s, "batch1", "batch2"); }},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
