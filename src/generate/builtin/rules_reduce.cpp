#include <algorithm>
#include <string>

#include "generate/builtin/lower.h"
#include "generate/builtin/statistics.h"

namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

// The reduced dimensions of a call: all of them when the argument is absent or empty.
std::optional<std::vector<int>> reduced_dims(Scope& s, int self, std::size_t position) {
  std::vector<int> dims;
  const auto listed = s.call.integers(position, "dim");
  if (!listed && s.has(position, "dim")) return std::nullopt;
  if (listed && !listed->empty()) {
    for (const std::int64_t dim : *listed) dims.push_back(s.b.dimension(self, dim));
    if (s.b.declined()) return std::nullopt;
    return dims;
  }
  for (int i = 0; i < static_cast<int>(s.b.shape(self).size()); ++i) dims.push_back(i);
  return dims;
}

struct Reduction {
  int self;
  std::vector<int> dims;
  bool keep;
};

// Reads (self, dim, keepdim) where those overloads have them.
std::optional<Reduction> reduction(Scope& s, std::size_t dim_position, bool has_dims) {
  Reduction r;
  r.self = s.tensor(0, "self");
  if (r.self < 0) return std::nullopt;
  std::optional<std::vector<int>> dims;
  if (has_dims) {
    dims = reduced_dims(s, r.self, dim_position);
    const auto keep = s.call.boolean(dim_position + 1, "keepdim", false);
    if (!keep) dims.reset();
    r.keep = keep.value_or(false);
  } else {
    std::vector<int> all;
    for (int i = 0; i < static_cast<int>(s.b.shape(r.self).size()); ++i) all.push_back(i);
    dims = all;
    r.keep = false;
  }
  if (!dims) {
    s.unusual();
    return std::nullopt;
  }
  r.dims = *dims;
  return r;
}

int finished(Scope& s, const Reduction& r, int value) {
  return r.keep ? value : s.b.squeeze(value, r.dims);
}

bool over_dims(const Scope& s) { return s.call.overload().find("dim") != std::string::npos; }

Results sum(Scope& s) {
  const auto r = reduction(s, 1, over_dims(s));
  if (!r) return {-1};
  const int value = s.b.cast(r->self, s.result_dtype());
  return {finished(s, *r, s.b.reduce(Fold::kSum, value, r->dims))};
}

Results mean(Scope& s) {
  const auto r = reduction(s, 1, over_dims(s));
  if (!r || !is_floating(s.result_dtype())) return {s.unusual()};
  return {finished(s, *r, mean_over(s.b, s.b.cast(r->self, s.result_dtype()), r->dims))};
}

Results prod(Scope& s) {
  const auto r = reduction(s, 1, over_dims(s));
  if (!r) return {-1};
  const int value = s.b.cast(r->self, s.result_dtype());
  return {finished(s, *r, s.b.reduce(Fold::kProduct, value, r->dims))};
}

Results extreme(Scope& s, Fold fold, bool has_dims) {
  const auto r = reduction(s, 1, has_dims);
  if (!r || s.b.dtype(r->self) == DType::kBool) return {s.unusual()};
  return {finished(s, *r, s.b.reduce(fold, r->self, r->dims))};
}

// max and min: over everything, over a dim with places, or of two tensors.
Results max_or_min(Scope& s, Fold fold) {
  if (s.call.overload() == "other") {
    const char* formula =
        fold == Fold::kMax ? "($0 > $1 || $0 != $0 ? $0 : $1)" : "($0 < $1 || $0 != $0 ? $0 : $1)";
    return {s.b.pointwise(formula, {s.tensor(0, "self"), s.tensor(1, "other")}, s.result_dtype())};
  }
  Results results = extreme(s, fold, over_dims(s));
  if (s.call.overload() == "dim" && results[0] >= 0) {
    const auto r = reduction(s, 1, true);
    results.push_back(finished(s, *r, s.b.arg_reduce(fold, r->self, r->dims)));
  }
  return results;
}

// var, std and their overloads: the divisor is max(0, n - correction).
std::optional<std::pair<Reduction, int>> variance(Scope& s) {
  Reduction r;
  r.self = s.tensor(0, "self");
  if (r.self < 0 || !is_floating(s.result_dtype())) return std::nullopt;
  const std::string& overload = s.call.overload();
  double correction = 1;
  if (overload.empty() || overload == "dim") {
    const std::size_t position = overload.empty() ? 1 : 2;
    const auto unbiased = s.call.boolean(position, "unbiased", true);
    if (!unbiased) return std::nullopt;
    correction = *unbiased ? 1 : 0;
  } else if (overload == "correction") {
    const auto given = s.call.number_at(99, "correction");
    for (std::size_t v = 0; given && v < given->at.size(); ++v) {
      if (given->at[v] != given->at[0]) return std::nullopt;
    }
    if (given) correction = given->at[0];
  } else {
    return std::nullopt;
  }
  std::optional<std::vector<int>> dims = std::vector<int>();
  if (overload.empty()) {
    for (int i = 0; i < static_cast<int>(s.b.shape(r.self).size()); ++i) dims->push_back(i);
  } else {
    dims = reduced_dims(s, r.self, 1);
  }
  const auto keep = overload.empty() ? std::optional<bool>(false)
                                     : s.call.boolean(overload == "dim" ? 3 : 99, "keepdim", false);
  if (!dims || !keep || correction < 0 || correction != static_cast<int>(correction)) {
    return std::nullopt;
  }
  r.dims = *dims;
  r.keep = *keep;
  return std::pair(r, variance_over(s.b, r.self, r.dims, static_cast<int>(correction)));
}

Results var(Scope& s) {
  const auto found = variance(s);
  if (!found) return {s.unusual()};
  return {finished(s, found->first, found->second)};
}

Results stddev(Scope& s) {
  const auto found = variance(s);
  if (!found) return {s.unusual()};
  const int root = s.b.pointwise("sqrt@($0)", {found->second}, s.result_dtype());
  return {finished(s, found->first, root)};
}

Results logsumexp(Scope& s) {
  const auto r = reduction(s, 1, true);
  if (!r || !is_floating(s.result_dtype())) return {s.unusual()};
  return {finished(s, *r, logsumexp_over(s.b, r->self, r->dims))};
}

Results softmax_like(Scope& s, bool logarithm) {
  const int given = s.tensor(0, "self");
  const auto wanted = s.call.integer(1, "dim", -1);
  if (given < 0 || !wanted || !is_floating(s.result_dtype())) return {s.unusual()};
  const int self = s.b.cast(given, s.result_dtype());
  if (s.b.shape(self).empty()) return {s.unusual()};
  const int dim = s.b.dimension(self, *wanted);
  if (dim < 0) return {-1};
  const DType dtype = s.result_dtype();
  const int top = s.b.reduce(Fold::kMax, self, {dim});
  const int shifted = s.b.pointwise("($0 - $1)", {self, top}, dtype);
  const int powers = s.b.pointwise("exp@($0)", {shifted}, dtype);
  const int total = s.b.reduce(Fold::kSum, powers, {dim});
  if (!logarithm) return {s.b.pointwise("($0 / $1)", {powers, total}, dtype)};
  return {s.b.pointwise("($0 - log@($1))", {shifted, total}, dtype)};
}

// p-norms: the orders that reduce by a plain sum or maximum.
Results vector_norm(Scope& s, std::size_t order_position, const char* order_name) {
  const auto r = reduction(s, 2, true);
  const auto order = s.call.number_at(order_position, order_name);
  if (!r || !is_floating(s.result_dtype())) return {s.unusual()};
  const double p = order ? order->at[0] : 2;
  for (std::size_t v = 0; order && v < order->at.size(); ++v) {
    if (order->at[v] != p) return {s.unusual()};
  }
  const DType dtype = s.result_dtype();
  const int self = s.b.cast(r->self, dtype);
  const int size = s.b.pointwise("fabs@($0)", {self}, dtype);
  int value = -1;
  if (p == 2) {
    const int squares = s.b.pointwise("($0 * $0)", {self}, dtype);
    value = s.b.pointwise("sqrt@($0)", {s.b.reduce(Fold::kSum, squares, r->dims)}, dtype);
  } else if (p == 1) {
    value = s.b.reduce(Fold::kSum, size, r->dims);
  } else if (p == std::numeric_limits<double>::infinity()) {
    value = s.b.reduce(Fold::kMax, size, r->dims);
  } else {
    return {s.unusual()};
  }
  return {finished(s, *r, value)};
}

}  // namespace

void add_reduction_rules(Rules& rules) {
  const Rules more = {
      {"sum", sum},
      {"mean", mean},
      {"prod", prod},
      {"amax", [](Scope& s) { return extreme(s, Fold::kMax, true); }},
      {"amin", [](Scope& s) { return extreme(s, Fold::kMin, true); }},
      {"max", [](Scope& s) { return max_or_min(s, Fold::kMax); }},
      {"min", [](Scope& s) { return max_or_min(s, Fold::kMin); }},
      {"var", var},
      {"std", stddev},
      {"logsumexp", logsumexp},
      {"softmax", [](Scope& s) { return softmax_like(s, false); }},
      {"_softmax", [](Scope& s) { return softmax_like(s, false); }},
      {"log_softmax", [](Scope& s) { return softmax_like(s, true); }},
      {"_log_softmax", [](Scope& s) { return softmax_like(s, true); }},
      {"linalg_vector_norm", [](Scope& s) { return vector_norm(s, 1, "ord"); }},
      {"norm",
       [](Scope& s) -> Results {
         if (s.call.overload() != "ScalarOpt_dim") return {s.unusual()};
         return vector_norm(s, 1, "p");
       }},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
