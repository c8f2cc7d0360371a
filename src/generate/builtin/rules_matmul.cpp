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
      {"addmm", [](Scope& s) { return added(s, "mat1", "mat2"); }},
      {"baddbmm", [](Scope& s) { return added(s, "batch1", "batch2"); }},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
