#include <limits>
#include <string>

#include "generate/builtin/lower.h"

namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

// Heads of keys and values that several heads of queries share.
int shared_heads(Scope& s, int id, const Sizes& query) {
  const Sizes own = s.b.shape(id);
  const std::size_t head = own.size() - 3;
  const Size times = s.b.named(quotient(query[head], own[head]));
  return s.b.remap(id, static_cast<int>(head), query[head],
                   {"$0 / #0", {static_cast<int>(head)}, {times}, -1});
}

Results attention(Scope& s) {
  const DType dtype = s.result_dtype();
  const int query = s.tensor(0, "query");
  int key = s.tensor(1, "key");
  int value = s.tensor(2, "value");
  const auto dropout = s.call.number_at(4, "dropout_p");
  const auto causal = s.call.boolean(5, "is_causal", false);
  const auto grouped = s.call.boolean(7, "enable_gqa", false);
  if (query < 0 || key < 0 || value < 0 || !causal || !grouped || !is_floating(dtype) ||
      dtype == DType::kFloat64 || (dropout && dropout->at[0] != 0)) {
    return {s.unusual()};
  }
  const Sizes shape = s.b.shape(query);
  const std::size_t rank = shape.size();
  if (rank < 3 || s.b.shape(key).size() != rank || s.b.shape(value).size() != rank) {
    return {s.unusual()};
  }
  if (*grouped) {
    key = shared_heads(s, key, shape);
    value = shared_heads(s, value, shape);
  }
  std::vector<int> order;
  for (std::size_t d = 0; d < rank; ++d) order.push_back(static_cast<int>(d));
  std::swap(order[rank - 1], order[rank - 2]);
  const int last = static_cast<int>(rank) - 1;
  const int lowest = s.b.literal(-std::numeric_limits<double>::infinity());
  const int scale = s.has(99, "scale") ? s.b.scalar(s.call, 99, "scale")
                                       : s.b.size_scalar("1 / sqrt(" + shape.back().text + ")");
  int scores =
      s.b.pointwise("($0 * $1)", {s.b.matmul(query, s.b.permute(key, order)), scale}, dtype);
  if (*causal) scores = s.b.guard({"$1 <= $0", {last - 1, last}, {}, -1}, scores, lowest);
  if (s.has(3, "attn_mask")) {
    const int mask = s.tensor(3, "attn_mask");
    if (mask < 0) return {-1};
    if (s.b.dtype(mask) == DType::kBool) {
      scores = s.b.mixed("($1 ? $0 : $2)", {scores, mask, lowest}, dtype, dtype);
    } else {
      scores = s.b.pointwise("($0 + $1)", {scores, mask}, dtype);
    }
  }
  // A row in which nothing may be seen is 0.
  const int top = s.b.reduce(Fold::kMax, scores, {last});
  const int powers =
      s.b.pointwise("($1 == T(-INFINITY) ? T(0) : exp@($0 - $1))", {scores, top}, dtype);
  const int total = s.b.reduce(Fold::kSum, powers, {last});
  const int shares = s.b.pointwise("($1 == T(0) ? T(0) : $0 / $1)", {powers, total}, dtype);
  return {s.b.matmul(shares, value)};
}

}  // namespace

void add_attention_rules(Rules& rules) { rules.emplace("scaled_dot_product_attention", attention); }

}  // namespace kvgen::builtin
