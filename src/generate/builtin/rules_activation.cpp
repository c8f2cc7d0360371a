#include <string>

#include "generate/builtin/lower.h"

namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

// The formulas are torch's own, so that every rounding is the textbook one.
Results activation(Scope& s, const char* formula, std::vector<int> numbers = {}) {
  const DType dtype = s.result_dtype();
  if (!is_floating(dtype)) return {s.unusual()};
  std::vector<int> inputs = {s.tensor(0, "self")};
  inputs.insert(inputs.end(), numbers.begin(), numbers.end());
  return {s.b.pointwise(formula, std::move(inputs), dtype)};
}

Results gelu(Scope& s) {
  const auto approximate = s.call.text(1, "approximate", "none");
  if (approximate == "tanh") {
    return activation(s,
                      "(T(0.5) * $0 * (T(1) + tanh@(T(0.7978845608028654) * "
                      "($0 + T(0.044715) * $0 * $0 * $0))))");
  }
  if (approximate != "none") return {s.unusual()};
  return activation(s, "($0 * T(0.5) * (T(1) + erf@($0 * T(0.70710678118654752))))");
}

Results elu(Scope& s) {
  const std::vector<int> numbers = {s.b.scalar(s.call, 1, "alpha", 1),
                                    s.b.scalar(s.call, 2, "scale", 1),
                                    s.b.scalar(s.call, 3, "input_scale", 1)};
  return activation(s, "($0 <= T(0) ? expm1@($0 * $3) * ($1 * $2) : $0 * $2)", numbers);
}

Results selu(Scope& s) {
  return activation(s,
                    "($0 <= T(0) ? expm1@($0) * T(1.7580993408473766) : "
                    "$0 * T(1.0507009873554805))");
}

Results celu(Scope& s) {
  return activation(s, "($0 <= T(0) ? expm1@($0 / $1) * $1 : $0)",
                    {s.b.scalar(s.call, 1, "alpha", 1)});
}

Results hardtanh(Scope& s) {
  return activation(s, "($0 < $1 ? $1 : $0 > $2 ? $2 : $0)",
                    {s.b.scalar(s.call, 1, "min_val", -1), s.b.scalar(s.call, 2, "max_val", 1)});
}

constexpr const char* kHardSigmoid =
    "(($0 + T(3) < T(0) ? T(0) : $0 + T(3) > T(6) ? T(6) : $0 + T(3)) / T(6))";
constexpr const char* kHardSwish =
    "($0 * ($0 + T(3) < T(0) ? T(0) : $0 + T(3) > T(6) ? T(6) : $0 + T(3)) / T(6))";

Results softplus(Scope& s) {
  return activation(s, "($0 * $1 > $2 ? $0 : log1p@(exp@($0 * $1)) / $1)",
                    {s.b.scalar(s.call, 1, "beta", 1), s.b.scalar(s.call, 2, "threshold", 20)});
}

Results prelu(Scope& s) {
  const int self = s.tensor(0, "self");
  int weight = s.tensor(1, "weight");
  if (self < 0 || weight < 0) return {-1};
  const Sizes& shape = s.b.shape(self);
  if (s.b.shape(weight).size() != 1) return {s.unusual()};
  if (!s.b.shape(weight)[0].all_ones()) {
    if (shape.size() < 2) return {s.unusual()};
    Sizes aligned(shape.size() - 1, s.b.number(1));
    aligned[0] = s.b.shape(weight)[0];
    weight = s.b.reshape(weight, aligned);
  }
  return {s.b.pointwise("($0 > T(0) ? $0 : $1 * $0)", {self, weight}, s.result_dtype())};
}

Results glu(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto wanted = s.call.integer(1, "dim", -1);
  if (!wanted || self < 0) return {s.unusual()};
  const int dim = s.b.dimension(self, *wanted);
  if (dim < 0) return {-1};
  const Size half = quotient(s.b.shape(self)[static_cast<std::size_t>(dim)], s.b.number(2));
  const int a = s.b.slice(self, dim, s.b.number(0), s.b.number(1), half);
  const int b = s.b.slice(self, dim, half, s.b.number(1), half);
  return {s.b.pointwise("($0 * (T(1) / (T(1) + exp@(-$1))))", {a, b}, s.result_dtype())};
}

}  // namespace

void add_activation_rules(Rules& rules) {
  const Rules more = {
      {"gelu", gelu},
      {"silu", [](Scope& s) { return activation(s, "($0 / (T(1) + exp@(-$0)))"); }},
      {"mish", [](Scope& s) { return activation(s, "($0 * tanh@(log1p@(exp@($0))))"); }},
      {"elu", elu},
      {"selu", selu},
      {"celu", celu},
      {"leaky_relu",
       [](Scope& s) {
         return activation(s, "($0 > T(0) ? $0 : $0 * $1)",
                           {s.b.scalar(s.call, 1, "negative_slope", 0.01)});
       }},
      {"relu6",
       [](Scope& s) { return activation(s, "($0 < T(0) ? T(0) : $0 > T(6) ? T(6) : $0)"); }},
      {"hardtanh", hardtanh},
      {"hardsigmoid", [](Scope& s) { return activation(s, kHardSigmoid); }},
      {"hardswish", [](Scope& s) { return activation(s, kHardSwish); }},
      {"softplus", softplus},
      {"softsign", [](Scope& s) { return activation(s, "($0 / (T(1) + fabs@($0)))"); }},
      {"log_sigmoid",
       [](Scope& s) {
         return activation(s, "(($0 < T(0) ? $0 : T(0)) - log1p@(exp@(-fabs@($0))))");
       }},
      {"threshold",
       [](Scope& s) {
         return activation(s, "($0 <= $1 ? $2 : $0)",
                           {s.b.scalar(s.call, 1, "threshold"), s.b.scalar(s.call, 2, "value")});
       }},
      {"hardshrink",
       [](Scope& s) {
         return activation(s, "($0 >= -$1 && $0 <= $1 ? T(0) : $0)",
                           {s.b.scalar(s.call, 1, "lambd", 0.5)});
       }},
      {"softshrink",
       [](Scope& s) {
         return activation(s, "($0 > $1 ? $0 - $1 : $0 < -$1 ? $0 + $1 : $0 * T(0))",
                           {s.b.scalar(s.call, 1, "lambd", 0.5)});
       }},
      {"prelu", prelu},
      {"glu", glu},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
