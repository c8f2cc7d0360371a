#include <limits>
#include <string>

#include "generate/builtin/lower.h"
#include "generate/builtin/statistics.h"

namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

std::vector<int> all_dims(Scope& s, int id) {
  std::vector<int> dims;
  for (std::size_t d = 0; id >= 0 && d < s.b.shape(id).size(); ++d) {
    dims.push_back(static_cast<int>(d));
  }
  return dims;
}

int total(Scope& s, int value) {
  const std::vector<int> dims = all_dims(s, value);
  return s.b.squeeze(s.b.reduce(Fold::kSum, value, dims), dims);
}

// 0: each, 1: mean, 2: sum.
Results reduced(Scope& s, int each, std::size_t position) {
  const auto mode = s.call.integer(position, "reduction", 1);
  if (!mode || each < 0) return {s.unusual()};
  if (*mode == 0) return {each};
  if (*mode == 2) return {total(s, each)};
  const std::vector<int> dims = all_dims(s, each);
  return {s.b.squeeze(mean_over(s.b, each, dims), dims)};
}

// A loss of two tensors and perhaps a number, element by element.
Results elementwise(Scope& s, const char* formula, std::size_t reduction,
                    std::vector<int> more = {}) {
  const DType dtype = s.result_dtype();
  if (!is_floating(dtype)) return {s.unusual()};
  std::vector<int> inputs = {s.tensor(0, "self"), s.tensor(1, "target")};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return reduced(s, s.b.pointwise(formula, std::move(inputs), dtype), reduction);
}

Results mse(Scope& s) { return elementwise(s, "(($0 - $1) * ($0 - $1))", 2); }

Results l1(Scope& s) { return elementwise(s, "fabs@($0 - $1)", 2); }

Results smooth_l1(Scope& s) {
  return elementwise(s,
                     "(fabs@($0 - $1) < $2 ? T(0.5) * fabs@($0 - $1) * fabs@($0 - $1) / $2 : "
                     "fabs@($0 - $1) - T(0.5) * $2)",
                     2, {s.b.scalar(s.call, 3, "beta", 1)});
}

Results huber(Scope& s) {
  return elementwise(s,
                     "(fabs@($0 - $1) <= $2 ? T(0.5) * fabs@($0 - $1) * fabs@($0 - $1) : "
                     "$2 * (fabs@($0 - $1) - T(0.5) * $2))",
                     2, {s.b.scalar(s.call, 3, "delta", 1)});
}

Results soft_margin(Scope& s) { return elementwise(s, "log1p@(exp@(-$1 * $0))", 2); }

Results hinge_embedding(Scope& s) {
  return elementwise(s,
                     "(($1 != T(1) ? ($2 - $0 < T(0) ? T(0) : $2 - $0) : T(0)) + "
                     "($1 != T(-1) ? $0 : T(0)))",
                     3, {s.b.scalar(s.call, 2, "margin", 1)});
}

Results binary_cross_entropy(Scope& s) {
  const DType dtype = s.result_dtype();
  if (!is_floating(dtype)) return {s.unusual()};
  // The logarithms are bounded from below, as torch does.
  int value = s.b.pointwise(
      "(($1 - T(1)) * (log1p@(-$0) < T(-100) ? T(-100) : log1p@(-$0)) - "
      "$1 * (log@($0) < T(-100) ? T(-100) : log@($0)))",
      {s.tensor(0, "self"), s.tensor(1, "target")}, dtype);
  if (s.has(2, "weight")) {
    value = s.b.pointwise("($0 * $1)", {value, s.tensor(2, "weight")}, dtype);
  }
  return reduced(s, value, 3);
}

Results bce_with_logits(Scope& s) {
  const DType dtype = s.result_dtype();
  if (!is_floating(dtype)) return {s.unusual()};
  const int self = s.tensor(0, "self");
  const int target = s.tensor(1, "target");
  const int log_sigmoid =
      s.b.pointwise("(($0 < T(0) ? $0 : T(0)) - log1p@(exp@(-fabs@($0))))", {self}, dtype);
  int value = -1;
  if (s.has(3, "pos_weight")) {
    value = s.b.pointwise("((T(1) - $1) * $0 - ((T(1) + ($3 - T(1)) * $1) * $2))",
                          {self, target, log_sigmoid, s.tensor(3, "pos_weight")}, dtype);
  } else {
    value = s.b.pointwise("((T(1) - $1) * $0 - $2)", {self, target, log_sigmoid}, dtype);
  }
  if (s.has(2, "weight")) {
    value = s.b.pointwise("($0 * $1)", {value, s.tensor(2, "weight")}, dtype);
  }
  return reduced(s, value, 4);
}

Results kl_div(Scope& s) {
  const auto log_target = s.call.boolean(3, "log_target", false);
  if (!log_target) return {s.unusual()};
  if (*log_target) return elementwise(s, "(exp@($1) * ($1 - $0))", 2);
  return elementwise(s, "(($1 == T(0) ? T(0) : $1 * log@($1)) - $1 * $0)", 2);
}

Results margin_ranking(Scope& s) {
  const int value = s.b.pointwise("(-$2 * ($0 - $1) + $3 < T(0) ? T(0) : -$2 * ($0 - $1) + $3)",
                                  {s.tensor(0, "input1"), s.tensor(1, "input2"),
                                   s.tensor(2, "target"), s.b.scalar(s.call, 3, "margin", 0)},
                                  s.result_dtype());
  return reduced(s, value, 4);
}

Results poisson_nll(Scope& s) {
  const auto log_input = s.call.boolean(2, "log_input", true);
  const auto full = s.call.boolean(3, "full", false);
  const DType dtype = s.result_dtype();
  if (!log_input || !full || *full) return {s.unusual()};
  const int input = s.tensor(0, "input");
  const int target = s.tensor(1, "target");
  const int value = *log_input
                        ? s.b.pointwise("(exp@($0) - $1 * $0)", {input, target}, dtype)
                        : s.b.pointwise("($0 - $1 * log@($0 + $2))",
                                        {input, target, s.b.scalar(s.call, 4, "eps")}, dtype);
  return reduced(s, value, 5);
}

int cosine(Scope& s, int a, int b, int dim, int eps) {
  const DType dtype = s.result_dtype();
  const auto dot = [&](int x, int y) {
    return s.b.reduce(Fold::kSum, s.b.pointwise("($0 * $1)", {x, y}, dtype), {dim});
  };
  const auto norm = [&](int x) {
    return s.b.pointwise("(sqrt@($0) < $1 ? $1 : sqrt@($0))", {dot(x, x), eps}, dtype);
  };
  return s.b.squeeze(s.b.pointwise("($0 / ($1 * $2))", {dot(a, b), norm(a), norm(b)}, dtype),
                     {dim});
}

Results cosine_similarity(Scope& s) {
  int a = s.tensor(0, "x1");
  int b = s.tensor(1, "x2");
  const auto wanted = s.call.integer(2, "dim", 1);
  if (a < 0 || b < 0 || !wanted) return {s.unusual()};
  const auto common = s.b.broadcast_shape({a, b});
  if (!common) return {s.unusual()};
  a = s.b.broadcast_to(a, *common);
  b = s.b.broadcast_to(b, *common);
  const int dim = s.b.dimension(a, *wanted);
  if (dim < 0) return {-1};
  return {cosine(s, a, b, dim, s.b.scalar(s.call, 3, "eps", 1e-8))};
}

int log_softmax(Scope& s, int self, int dim) {
  const DType dtype = s.result_dtype();
  const int top = s.b.reduce(Fold::kMax, self, {dim});
  const int shifted = s.b.pointwise("($0 - $1)", {self, top}, dtype);
  const int powers = s.b.pointwise("exp@($0)", {shifted}, dtype);
  const int sum = s.b.reduce(Fold::kSum, powers, {dim});
  return s.b.pointwise("($0 - log@($1))", {shifted, sum}, dtype);
}

// What each label costs and counts for: -w[label] * logs[label], and w[label];
// both 0 where the label is the one that is ignored.
struct Labelled {
  int cost = -1;
  int counts = -1;
  int kept = -1;  // bool
};

std::optional<Labelled> by_label(Scope& s, int logs, int target, int dim, int weight, int ignored) {
  const DType dtype = s.result_dtype();
  if (s.b.dtype(target) != DType::kInt64) return std::nullopt;
  const Sizes shape = s.b.shape(target);
  if (shape.size() + 1 != s.b.shape(logs).size()) return std::nullopt;
  std::vector<int> dims;
  for (std::size_t d = 0; d < shape.size(); ++d) dims.push_back(static_cast<int>(d));
  const Size& classes = s.b.shape(logs)[static_cast<std::size_t>(dim)];
  const IndexFormula label{"($0 >= 0 && $0 < #0 ? $0 : 0)", dims, {classes}, target};
  std::vector<IndexFormula> maps;
  for (int d = 0; d < static_cast<int>(s.b.shape(logs).size()); ++d) {
    if (d == dim) maps.push_back(label);
    if (d != dim) maps.push_back({"$0", {d < dim ? d : d - 1}, {}, -1});
  }
  Labelled l;
  l.kept = s.b.pointwise("($0 != $1)", {target, ignored}, DType::kBool, DType::kInt64);
  const int log = s.b.map(logs, shape, std::move(maps));
  if (weight >= 0) {
    const int own = s.b.map(weight, shape, {label});
    l.cost = s.b.mixed("($2 ? -$0 * $1 : T(0))", {log, own, l.kept}, dtype, dtype);
    l.counts = s.b.mixed("($1 ? $0 : T(0))", {own, l.kept}, dtype, dtype);
  } else {
    l.cost = s.b.mixed("($1 ? -$0 : T(0))", {log, l.kept}, dtype, dtype);
    l.counts = s.b.mixed("($0 ? T(1) : T(0))", {l.kept}, dtype, dtype);
  }
  return l;
}

Results mean_by_count(Scope& s, int each, int counts, std::int64_t mode) {
  if (mode == 0) return {each};
  const int sum = total(s, each);
  if (mode == 2) return {sum};
  return {s.b.pointwise("($0 / $1)", {sum, total(s, counts)}, s.result_dtype())};
}

Results nll(Scope& s) {
  const int logs = s.tensor(0, "self");
  const int target = s.tensor(1, "target");
  const int weight = s.has(2, "weight") ? s.tensor(2, "weight") : -1;
  const auto mode = s.call.integer(3, "reduction", 1);
  if (logs < 0 || target < 0 || !mode || !is_floating(s.result_dtype())) return {s.unusual()};
  const int dim = s.b.shape(logs).size() == 1 ? 0 : 1;
  const auto l =
      by_label(s, logs, target, dim, weight, s.b.scalar(s.call, 4, "ignore_index", -100));
  if (!l) return {s.unusual()};
  return mean_by_count(s, l->cost, l->counts, *mode);
}

// Targets that are probabilities.
Results soft_cross_entropy(Scope& s, int logs, int dim, int weight, std::int64_t mode,
                           int smoothing) {
  const DType dtype = s.result_dtype();
  const Sizes shape = s.b.shape(logs);
  const Size& classes = shape[static_cast<std::size_t>(dim)];
  const int count = s.b.size_number(classes);
  int wanted = s.b.cast(s.tensor(1, "target"), dtype);
  wanted = s.b.pointwise("($0 * (T(1) - $1) + $1 / $2)", {wanted, smoothing, count}, dtype);
  int terms = s.b.pointwise("(-$0 * $1)", {logs, wanted}, dtype);
  if (weight >= 0) {
    Sizes aligned(shape.size() - static_cast<std::size_t>(dim), s.b.number(1));
    aligned[0] = classes;
    terms = s.b.pointwise("($0 * $1)", {terms, s.b.reshape(weight, aligned)}, dtype);
  }
  const int each = s.b.squeeze(s.b.reduce(Fold::kSum, terms, {dim}), {dim});
  if (mode == 0) return {each};
  if (mode == 2) return {total(s, each)};
  const std::vector<int> dims = all_dims(s, each);
  return {s.b.squeeze(mean_over(s.b, each, dims), dims)};
}

Results cross_entropy(Scope& s) {
  const DType dtype = s.result_dtype();
  const int self = s.b.cast(s.tensor(0, "self"), dtype);
  const int target = s.tensor(1, "target");
  const int weight = s.has(2, "weight") ? s.tensor(2, "weight") : -1;
  const auto mode = s.call.integer(3, "reduction", 1);
  const auto given = s.call.number_at(5, "label_smoothing");
  if (self < 0 || target < 0 || !mode || !is_floating(dtype)) return {s.unusual()};
  const int dim = s.b.shape(self).size() == 1 ? 0 : 1;
  const int logs = log_softmax(s, self, dim);
  const int smoothing = s.b.scalar(s.call, 5, "label_smoothing", 0);
  if (is_floating(s.b.dtype(target))) {
    return soft_cross_entropy(s, logs, dim, weight, *mode, smoothing);
  }
  const auto l =
      by_label(s, logs, target, dim, weight, s.b.scalar(s.call, 4, "ignore_index", -100));
  if (!l) return {s.unusual()};
  if (!given || given->at[0] == 0) return mean_by_count(s, l->cost, l->counts, *mode);
  int terms = s.b.pointwise("(-$0)", {logs}, dtype);
  if (weight >= 0) {
    Sizes aligned(s.b.shape(logs).size() - static_cast<std::size_t>(dim), s.b.number(1));
    aligned[0] = s.b.shape(weight)[0];
    terms = s.b.pointwise("($0 * $1)", {terms, s.b.reshape(weight, aligned)}, dtype);
  }
  const int spread = s.b.squeeze(s.b.reduce(Fold::kSum, terms, {dim}), {dim});
  const int count = s.b.size_number(s.b.shape(logs)[static_cast<std::size_t>(dim)]);
  const int mixed = s.b.mixed("($4 ? (T(1) - $2) * $0 + $2 / $3 * $1 : T(0))",
                              {l->cost, spread, smoothing, count, l->kept}, dtype, dtype);
  return mean_by_count(s, mixed, l->counts, *mode);
}

Results cosine_embedding(Scope& s) {
  const DType dtype = s.result_dtype();
  const int a = s.tensor(0, "input1");
  const int b = s.tensor(1, "input2");
  if (a < 0 || b < 0 || s.b.shape(a).size() != 2 || s.b.shape(b).size() != 2) return {s.unusual()};
  const auto dot = [&](int x, int y) {
    return s.b.squeeze(s.b.reduce(Fold::kSum, s.b.pointwise("($0 * $1)", {x, y}, dtype), {1}), {1});
  };
  const int angle = s.b.pointwise("($0 / sqrt@(($1 + T(1e-12)) * ($2 + T(1e-12))))",
                                  {dot(a, b), dot(a, a), dot(b, b)}, dtype);
  const int value = s.b.pointwise(
      "($1 == T(1) ? T(1) - $0 : $1 == T(-1) ? ($0 - $2 < T(0) ? T(0) : $0 - $2) : T(0))",
      {angle, s.tensor(2, "target"), s.b.scalar(s.call, 3, "margin", 0)}, dtype);
  return reduced(s, value, 4);
}

}  // namespace

void add_loss_rules(Rules& rules) {
  const Rules more = {
      {"mse_loss", mse},
      {"l1_loss", l1},
      {"smooth_l1_loss", smooth_l1},
      {"huber_loss", huber},
      {"soft_margin_loss", soft_margin},
      {"hinge_embedding_loss", hinge_embedding},
      {"binary_cross_entropy", binary_cross_entropy},
      {"binary_cross_entropy_with_logits", bce_with_logits},
      {"kl_div", kl_div},
      {"margin_ranking_loss", margin_ranking},
      {"poisson_nll_loss", poisson_nll},
      {"cosine_similarity", cosine_similarity},
      {"cosine_embedding_loss", cosine_embedding},
      {"nll_loss", nll},
      {"nll_loss_nd", nll},
      {"nll_loss2d", nll},
      {"cross_entropy_loss", cross_entropy},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
