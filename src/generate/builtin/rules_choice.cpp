#include <algorithm>
#include <string>

#include "generate/builtin/lower.h"

// Extremes with their places, order, and running folds.
namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

struct Along {
  int self = -1;
  int dim = 0;
  bool keep = false;
};

std::optional<Along> along(Scope& s, std::size_t dim_position, std::size_t keep_position) {
  Along a;
  a.self = s.tensor(0, "self");
  const auto wanted = s.call.integer(dim_position, "dim", -1);
  const auto keep = s.call.boolean(keep_position, "keepdim", false);
  if (a.self < 0 || !wanted || !keep || s.b.shape(a.self).empty()) return std::nullopt;
  a.dim = s.b.dimension(a.self, *wanted);
  a.keep = *keep;
  if (a.dim < 0) return std::nullopt;
  return a;
}

int numeric(Scope& s, int id) {
  return id >= 0 && s.b.dtype(id) == DType::kBool ? s.b.cast(id, DType::kUInt8) : id;
}

Results arg_extreme(Scope& s, Fold fold) {
  const int self = numeric(s, s.tensor(0, "self"));
  if (self < 0) return {-1};
  if (!s.has(1, "dim")) {
    const int flat = s.b.reshape(self, {product(s.b.shape(self), s.b.variants())});
    const int place = s.b.arg_reduce(fold, flat, {0});
    const auto keep = s.call.boolean(2, "keepdim", false);
    if (!keep || *keep) return {s.unusual()};
    return {s.b.squeeze(place, {0})};
  }
  const auto a = along(s, 1, 2);
  if (!a) return {s.unusual()};
  const int place = s.b.arg_reduce(fold, self, {a->dim});
  return {a->keep ? place : s.b.squeeze(place, {a->dim})};
}

// Sorted places along a dimension, `count` of them.
Results picked(Scope& s, const Along& a, bool descending, const Size& count) {
  const int self = numeric(s, a.self);
  const int order = s.b.sort(self, a.dim, descending, count);
  if (order < 0) return {-1, -1};
  const Sizes shape = s.b.shape(order);
  std::vector<IndexFormula> maps;
  std::vector<int> dims;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    dims.push_back(static_cast<int>(d));
    maps.push_back({"$0", {static_cast<int>(d)}, {}, -1});
  }
  maps[static_cast<std::size_t>(a.dim)] = {"$0", dims, {}, order};
  return {s.b.map(a.self, shape, std::move(maps)), order};
}

Results topk(Scope& s) {
  const auto a = along(s, 2, 99);
  const auto k = s.b.size_argument(s.call, 1, "k");
  const auto largest = s.call.boolean(3, "largest", true);
  if (!a || !k || !largest) return {s.unusual()};
  return picked(s, *a, *largest, *k);
}

Results sorted(Scope& s) {
  const bool stable = s.call.overload() == "stable";
  Along a;
  a.self = s.tensor(0, "self");
  const auto dim = s.call.integer(stable ? 2 : 1, "dim", -1);
  const auto descending = s.call.boolean(stable ? 3 : 2, "descending", false);
  if (a.self < 0 || !dim || !descending || s.b.shape(a.self).empty()) return {s.unusual()};
  a.dim = s.b.dimension(a.self, *dim);
  if (a.dim < 0) return {-1};
  return picked(s, a, *descending, s.b.shape(a.self)[static_cast<std::size_t>(a.dim)]);
}

Results argsort(Scope& s) {
  const Results both = sorted(s);
  return {both.back()};
}

// One element of the ascending order: kthvalue(k), median.
Results ranked(Scope& s, const Along& a, const Size& rank, const Size& count) {
  Results both = picked(s, a, false, count);
  for (int& value : both) {
    value = s.b.slice(value, a.dim, rank, s.b.number(1), s.b.number(1));
    if (!a.keep) value = s.b.squeeze(value, {a.dim});
  }
  return both;
}

Results kthvalue(Scope& s) {
  const auto a = along(s, 2, 3);
  const auto k = s.b.size_argument(s.call, 1, "k");
  if (!a || !k) return {s.unusual()};
  return ranked(s, *a, *k - s.b.number(1), *k);
}

Results median(Scope& s) {
  const auto a = along(s, 1, 2);
  if (!a || s.call.overload() != "dim") return {s.unusual()};
  const Size& n = s.b.shape(a->self)[static_cast<std::size_t>(a->dim)];
  return ranked(s, *a, s.b.named(quotient(n - s.b.number(1), s.b.number(2))), n);
}

Results running(Scope& s, Fold fold) {
  const auto a = along(s, 1, 99);
  if (!a) return {s.unusual()};
  if (fold == Fold::kLogAddExp && !is_floating(s.result_dtype())) return {s.unusual()};
  return {s.b.scan(fold, s.b.cast(a->self, s.result_dtype()), a->dim)};
}

Results running_extreme(Scope& s, Fold fold) {
  const auto a = along(s, 1, 99);
  if (!a || s.b.dtype(a->self) == DType::kBool) return {s.unusual()};
  return {s.b.scan(fold, a->self, a->dim), s.b.scan(fold, a->self, a->dim, true)};
}

std::optional<std::vector<int>> listed_dims(Scope& s, int self) {
  std::vector<int> dims;
  if (s.has(1, "dim")) {
    const auto list = s.call.integers(1, "dim");
    if (!list) return std::nullopt;
    for (const std::int64_t dim : *list) dims.push_back(s.b.dimension(self, dim));
    if (s.b.declined()) return std::nullopt;
    return dims;
  }
  for (std::size_t d = 0; d < s.b.shape(self).size(); ++d) dims.push_back(static_cast<int>(d));
  return dims;
}

Results any_or_all(Scope& s, Fold fold) {
  const int self = s.tensor(0, "self");
  if (self < 0 || s.result_dtype() != DType::kBool) return {s.unusual()};
  const auto dims = listed_dims(s, self);
  const auto keep = s.call.boolean(2, "keepdim", false);
  if (!dims || !keep) return {s.unusual()};
  const int truth = s.b.cast(s.b.cast(self, DType::kBool), DType::kInt32);
  const int value = s.b.cast(s.b.reduce(fold, truth, *dims), DType::kBool);
  return {*keep ? value : s.b.squeeze(value, *dims)};
}

Results count_nonzero(Scope& s) {
  const int self = s.tensor(0, "self");
  if (self < 0) return {-1};
  const auto dims = listed_dims(s, self);
  if (!dims) return {s.unusual()};
  const int truth = s.b.cast(s.b.cast(self, DType::kBool), DType::kInt64);
  return {s.b.squeeze(s.b.reduce(Fold::kSum, truth, *dims), *dims)};
}

}  // namespace

void add_choice_rules(Rules& rules) {
  const Rules more = {
      {"argmax", [](Scope& s) { return arg_extreme(s, Fold::kMax); }},
      {"argmin", [](Scope& s) { return arg_extreme(s, Fold::kMin); }},
      {"topk", topk},
      {"sort", sorted},
      {"argsort", argsort},
      {"kthvalue", kthvalue},
      {"median", median},
      {"cumsum", [](Scope& s) { return running(s, Fold::kSum); }},
      {"cumprod", [](Scope& s) { return running(s, Fold::kProduct); }},
      {"logcumsumexp", [](Scope& s) { return running(s, Fold::kLogAddExp); }},
      {"cummax", [](Scope& s) { return running_extreme(s, Fold::kMax); }},
      {"cummin", [](Scope& s) { return running_extreme(s, Fold::kMin); }},
      {"any", [](Scope& s) { return any_or_all(s, Fold::kMax); }},
      {"all", [](Scope& s) { return any_or_all(s, Fold::kMin); }},
      {"count_nonzero", count_nonzero},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
