#include <string>

#include "generate/builtin/lower.h"
#include "generate/builtin/statistics.h"

namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

// weight and bias of the last dimensions, where given.
int scaled_and_shifted(Scope& s, int value, int weight, int bias) {
  const DType dtype = s.result_dtype();
  if (weight >= 0) value = s.b.pointwise("($0 * $1)", {value, weight}, dtype);
  if (bias >= 0) value = s.b.pointwise("($0 + $1)", {value, bias}, dtype);
  return value;
}

int optional_tensor(Scope& s, std::size_t position, const char* name) {
  return s.has(position, name) ? s.tensor(position, name) : -1;
}

// A per-channel tensor [C] laid against [N, C, ...].
int per_channel(Scope& s, int channel, std::size_t rank) {
  if (channel < 0) return -1;
  Sizes sizes(rank - 1, s.b.number(1));
  sizes[0] = s.b.shape(channel)[0];
  return s.b.reshape(channel, sizes);
}

std::optional<std::vector<int>> trailing_dims(Scope& s, int self) {
  // Only how many sizes there are matters: they are the input's own.
  const Argument* argument = s.call.argument(1, "normalized_shape");
  const auto* list = argument == nullptr ? nullptr : argument->as<ArgumentList>();
  const auto rank = static_cast<int>(s.b.shape(self).size());
  if (list == nullptr || list->empty() || static_cast<int>(list->size()) > rank) {
    return std::nullopt;
  }
  std::vector<int> dims;
  for (int i = rank - static_cast<int>(list->size()); i < rank; ++i) dims.push_back(i);
  return dims;
}

int normalised(Scope& s, int self, const std::vector<int>& dims, int eps) {
  const DType dtype = s.result_dtype();
  const int mean = mean_over(s.b, self, dims);
  const int variance = variance_over(s.b, self, dims, 0);
  const int inverse = s.b.pointwise("(T(1) / sqrt@($0 + $1))", {variance, eps}, dtype);
  return s.b.pointwise("(($0 - $1) * $2)", {self, mean, inverse}, dtype);
}

Results layer_norm(Scope& s) {
  const int self = s.tensor(0, "input");
  if (self < 0) return {-1};
  const auto dims = trailing_dims(s, self);
  if (!dims) return {s.unusual()};
  const int eps = s.b.scalar(s.call, 4, "eps", 1e-5);
  const int value = normalised(s, self, *dims, eps);
  return {
      scaled_and_shifted(s, value, optional_tensor(s, 2, "weight"), optional_tensor(s, 3, "bias"))};
}

Results rms_norm(Scope& s) {
  const int self = s.tensor(0, "input");
  if (self < 0) return {-1};
  const auto dims = trailing_dims(s, self);
  if (!dims || !s.has(3, "eps")) return {s.unusual()};  // the default depends on the dtype
  const DType dtype = s.result_dtype();
  const int squares = s.b.pointwise("($0 * $0)", {self}, dtype);
  const int mean = mean_over(s.b, squares, *dims);
  const int eps = s.b.scalar(s.call, 3, "eps");
  const int inverse = s.b.pointwise("(T(1) / sqrt@($0 + $1))", {mean, eps}, dtype);
  const int value = s.b.pointwise("($0 * $1)", {self, inverse}, dtype);
  return {scaled_and_shifted(s, value, optional_tensor(s, 2, "weight"), -1)};
}

Results group_norm(Scope& s) {
  const int self = s.tensor(0, "input");
  const auto groups = s.call.number_at(1, "num_groups");
  if (self < 0 || !groups || groups->integers.empty()) return {s.unusual()};
  const Sizes shape = s.b.shape(self);
  if (shape.size() < 2) return {s.unusual()};
  std::optional<Size> count;
  if (const auto name = s.b.symbol(s.call, 1, "num_groups")) {
    count = Size{*name, groups->integers, Size::Form::kAtom};
  } else {
    count = s.b.known(groups->integers);
  }
  if (!count) return {s.unusual()};
  Sizes grouped = {shape[0], *count, quotient(shape[1], *count)};
  std::vector<int> dims = {2};
  for (std::size_t i = 2; i < shape.size(); ++i) {
    grouped.push_back(shape[i]);
    dims.push_back(static_cast<int>(i) + 1);
  }
  const int split = s.b.reshape(self, grouped);
  const int eps = s.b.scalar(s.call, 4, "eps", 1e-5);
  const int value = s.b.reshape(normalised(s, split, dims, eps), shape);
  return {scaled_and_shifted(s, value,
                             per_channel(s, optional_tensor(s, 2, "weight"), shape.size()),
                             per_channel(s, optional_tensor(s, 3, "bias"), shape.size()))};
}

// Statistics of the input itself (use_input_stats); running ones are declined.
Results instance_norm(Scope& s) {
  const int self = s.tensor(0, "input");
  const auto own = s.call.boolean(5, "use_input_stats", true);
  if (self < 0 || !own || !*own || s.has(3, "running_mean")) return {s.unusual()};
  const std::size_t rank = s.b.shape(self).size();
  if (rank < 3) return {s.unusual()};
  std::vector<int> dims;
  for (std::size_t i = 2; i < rank; ++i) dims.push_back(static_cast<int>(i));
  const int value = normalised(s, self, dims, s.b.scalar(s.call, 7, "eps", 1e-5));
  return {scaled_and_shifted(s, value, per_channel(s, optional_tensor(s, 1, "weight"), rank),
                             per_channel(s, optional_tensor(s, 2, "bias"), rank))};
}

// Inference only: training would also update the running statistics.
Results batch_norm(Scope& s) {
  const int self = s.tensor(0, "input");
  const auto training = s.call.boolean(5, "training", false);
  if (self < 0 || !training || *training || !s.has(3, "running_mean")) return {s.unusual()};
  const std::size_t rank = s.b.shape(self).size();
  const DType dtype = s.result_dtype();
  if (rank < 2) return {s.unusual()};
  const int mean = per_channel(s, s.tensor(3, "running_mean"), rank);
  const int variance = per_channel(s, s.tensor(4, "running_var"), rank);
  const int eps = s.b.scalar(s.call, 7, "eps", 1e-5);
  const int inverse = s.b.pointwise("(T(1) / sqrt@($0 + $1))", {variance, eps}, dtype);
  const int value = s.b.pointwise("(($0 - $1) * $2)", {self, mean, inverse}, dtype);
  return {scaled_and_shifted(s, value, per_channel(s, optional_tensor(s, 1, "weight"), rank),
                             per_channel(s, optional_tensor(s, 2, "bias"), rank))};
}

}  // namespace

void add_norm_rules(Rules& rules) {
  const Rules more = {
      {"layer_norm", layer_norm},       {"rms_norm", rms_norm},     {"group_norm", group_norm},
      {"instance_norm", instance_norm}, {"batch_norm", batch_norm},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
