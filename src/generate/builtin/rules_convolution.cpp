#include <algorithm>
#include <string>

#include "generate/builtin/lower.h"
#include "generate/builtin/window.h"

namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

struct Convolution {
  int input = -1;   // [n, c, spatial...]
  int weight = -1;  // [out, c / groups, kernel...]; transposed: [c, out / groups, kernel...]
  int bias = -1;
  Windows windows;
  Sizes output_padding;
  Size groups;
  std::size_t rank = 0;
};

std::vector<int> dims_from(std::size_t first, std::size_t count) {
  std::vector<int> dims;
  for (std::size_t i = 0; i < count; ++i) dims.push_back(static_cast<int>(first + i));
  return dims;
}

Sizes joined(std::initializer_list<Sizes> parts) {
  Sizes all;
  for (const Sizes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

int with_bias(Scope& s, const Convolution& c, int value) {
  if (c.bias < 0 || value < 0) return value;
  Sizes aligned(c.rank + 1, s.b.number(1));
  aligned[0] = s.b.shape(c.bias)[0];
  return s.b.pointwise("($0 + $1)", {value, s.b.reshape(c.bias, aligned)}, s.result_dtype());
}

// Fewer outputs a group than this fill a tile of the product badly.
constexpr std::int64_t kNarrow = 8;

bool is_narrow(const Size& outputs) {
  return std::all_of(outputs.at.begin(), outputs.at.end(),
                     [](std::int64_t value) { return value < kNarrow; });
}

// The product of the weights and the input's windows, group by group.
int forward(Scope& s, const Convolution& c) {
  const Sizes input = s.b.shape(c.input);
  const Sizes weight = s.b.shape(c.weight);
  const Size& n = input[0];
  const Size& per_group = weight[1];
  const Size outputs = quotient(weight[0], c.groups);
  const Sizes counts = window_counts(s.b, c.input, c.windows);
  const int under = windows_of(s.b, c.input, c.windows, counts, s.b.literal(0));
  const Sizes kernel = c.windows.kernel;
  const Sizes result = joined({{n, weight[0]}, counts});
  if (!c.groups.is_unit() && is_narrow(outputs)) {
    const Sizes domain = joined({{n, c.groups, outputs, per_group}, kernel, counts});
    const Size one = s.b.number(1);
    const int x = s.b.reshape(under, joined({{n, c.groups, one, per_group}, kernel, counts}));
    const int w =
        s.b.reshape(c.weight, joined({{c.groups, outputs, per_group}, kernel, Sizes(c.rank, one)}));
    const int terms =
        s.b.pointwise("($0 * $1)", {s.b.broadcast_to(x, domain), w}, s.result_dtype());
    const std::vector<int> summed = dims_from(3, 1 + c.rank);
    return s.b.reshape(s.b.squeeze(s.b.reduce(Fold::kSum, terms, summed), summed), result);
  }
  const Size depth = per_group * product(kernel, s.b.variants());
  const Size places = product(counts, s.b.variants());
  const bool whole = c.groups.is_unit();
  const Sizes batch = whole ? Sizes{n} : Sizes{n, c.groups};
  const Sizes stack = whole ? Sizes{} : Sizes{c.groups};
  const int x = s.b.reshape(under, joined({batch, {depth, places}}));
  const int w = s.b.broadcast_to(s.b.reshape(c.weight, joined({stack, {outputs, depth}})),
                                 joined({batch, {outputs, depth}}));
  return s.b.reshape(s.b.matmul(w, x), result);
}

// What each input element adds to each kernel position is one product; every
// output then gathers the terms that fall on it.
int transposed(Scope& s, const Convolution& c) {
  const Sizes input = s.b.shape(c.input);
  const Sizes weight = s.b.shape(c.weight);
  const Sizes spatial(input.begin() + 2, input.end());
  const Sizes kernel = c.windows.kernel;
  const Size one = s.b.number(1);
  const Size depth = quotient(input[1], c.groups);
  const Size rows = weight[1] * product(kernel, s.b.variants());
  const Size places = product(spatial, s.b.variants());
  const Sizes batch = {input[0], c.groups};
  const int w = s.b.permute(s.b.reshape(c.weight, {c.groups, depth, rows}), {0, 2, 1});
  const int x = s.b.reshape(c.input, {input[0], c.groups, depth, places});
  const int terms = s.b.matmul(s.b.broadcast_to(w, joined({batch, {rows, depth}})), x);
  const int split = s.b.reshape(terms, joined({{input[0], c.groups * weight[1]}, kernel, spatial}));
  if (split < 0) return -1;
  // At output o and kernel position k, the input element (o + padding - k * dilation) / stride.
  Sizes counts;
  std::vector<IndexFormula> maps = {{"$0", {0}, {}, -1}, {"$0", {1}, {}, -1}};
  IndexFormula falls{"", {}, {}, -1};
  for (std::size_t d = 0; d < c.rank; ++d) {
    maps.push_back({"$0", {static_cast<int>(2 + d)}, {}, -1});
    counts.push_back(s.b.named((spatial[d] - one) * c.windows.stride[d] +
                               c.windows.dilation[d] * (kernel[d] - one) + one +
                               c.output_padding[d] - c.windows.before[d] * s.b.number(2)));
  }
  for (std::size_t d = 0; d < c.rank; ++d) {
    const auto at = static_cast<int>(2 + c.rank + d);
    const auto within = static_cast<int>(2 + d);
    const Sizes sizes = {c.windows.before[d], c.windows.dilation[d], c.windows.stride[d]};
    maps.push_back({"($0 + #0 - $1 * #1) / #2", {at, within}, sizes, -1});
    const auto numbered = [](char c, std::size_t i) { return c + std::to_string(i); };
    const std::string from = "(" + numbered('$', 2 * d) + " + " + numbered('#', 4 * d) + " - " +
                             numbered('$', 2 * d + 1) + " * " + numbered('#', 4 * d + 1) + ")";
    const std::string stride = numbered('#', 4 * d + 2);
    falls.text += std::string(d == 0 ? "" : " && ") + from + " >= 0";
    if (!c.windows.stride[d].is_unit()) falls.text += " && " + from + " % " + stride + " == 0";
    falls.text += " && " + from + " < " + numbered('#', 4 * d + 3) + " * " + stride;
    falls.dims.insert(falls.dims.end(), {at, within});
    falls.sizes.insert(falls.sizes.end(), sizes.begin(), sizes.end());
    falls.sizes.push_back(spatial[d]);
  }
  const Sizes domain = joined({{input[0], c.groups * weight[1]}, kernel, counts});
  const int moved = s.b.guard(falls, s.b.map(split, domain, maps), s.b.literal(0));
  const std::vector<int> summed = dims_from(2, c.rank);
  return s.b.squeeze(s.b.reduce(Fold::kSum, moved, summed), summed);
}

int convolved(Scope& s, Convolution& c, bool is_transposed) {
  const DType dtype = s.result_dtype();
  if (!is_floating(dtype) || dtype == DType::kFloat64) return s.unusual();
  const bool batched = s.b.shape(c.input).size() == c.rank + 2;
  if (!batched) {
    if (s.b.shape(c.input).size() != c.rank + 1) return s.unusual();
    c.input = s.b.reshape(c.input, joined({{s.b.number(1)}, s.b.shape(c.input)}));
  }
  const int value = with_bias(s, c, is_transposed ? transposed(s, c) : forward(s, c));
  return batched ? value : s.b.squeeze(value, {0});
}

struct Places {
  std::size_t stride, padding, dilation, groups, output_padding;
};

Results convolution_of(Scope& s, std::size_t rank, const Places& at, bool is_transposed) {
  Convolution c;
  c.input = s.tensor(0, "input");
  c.weight = s.tensor(1, "weight");
  if (s.has(2, "bias")) c.bias = s.tensor(2, "bias");
  if (c.input < 0 || c.weight < 0 || s.b.shape(c.weight).size() < 3) return {s.unusual()};
  c.rank = s.b.shape(c.weight).size() - 2;
  if (rank != 0 && rank != c.rank) return {s.unusual()};
  const Sizes ones(c.rank, s.b.number(1));
  const Sizes zeros(c.rank, s.b.number(0));
  const auto stride = s.sizes(at.stride, "stride", c.rank, ones);
  const auto dilation = s.sizes(at.dilation, "dilation", c.rank, ones);
  const auto named = s.call.text(at.padding, "padding", "");
  auto before = named && !named->empty() ? zeros : s.sizes(at.padding, "padding", c.rank, zeros);
  const auto extra = is_transposed ? s.sizes(at.output_padding, "output_padding", c.rank, zeros)
                                   : std::optional<Sizes>(zeros);
  const auto groups = s.has(at.groups, "groups") ? s.b.size_argument(s.call, at.groups, "groups")
                                                 : std::optional<Size>(s.b.number(1));
  if (!stride || !dilation || !before || !extra || !groups) return {s.unusual()};
  c.groups = *groups;
  c.output_padding = *extra;
  c.windows.stride = *stride;
  c.windows.dilation = *dilation;
  c.windows.before = *before;
  c.windows.after = *before;
  for (std::size_t d = 0; d < c.rank; ++d) {
    c.windows.kernel.push_back(s.b.shape(c.weight)[2 + d]);
    if (named != "same") continue;
    const Size both = (*dilation)[d] * (c.windows.kernel[d] - s.b.number(1));
    c.windows.before[d] = s.b.named(quotient(both, s.b.number(2)));
    c.windows.after[d] = s.b.named(both - c.windows.before[d]);
  }
  return {convolved(s, c, is_transposed)};
}

Results plain(Scope& s, std::size_t rank) {
  return convolution_of(s, rank, {3, 4, 5, 6, 0}, false);
}

Results backward_strided(Scope& s, std::size_t rank) {
  return convolution_of(s, rank, {3, 4, 7, 6, 5}, true);
}

Results convolution(Scope& s) {
  const auto is_transposed = s.call.boolean(6, "transposed", false);
  if (!is_transposed) return {s.unusual()};
  return convolution_of(s, 0, {3, 4, 5, 8, 7}, *is_transposed);
}

}  // namespace

void add_convolution_rules(Rules& rules) {
  const Rules more = {
      {"conv1d", [](Scope& s) { return plain(s, 1); }},
      {"conv2d", [](Scope& s) { return plain(s, 2); }},
      {"conv3d", [](Scope& s) { return plain(s, 3); }},
      {"conv_transpose1d", [](Scope& s) { return backward_strided(s, 1); }},
      {"conv_transpose2d", [](Scope& s) { return backward_strided(s, 2); }},
      {"conv_transpose3d", [](Scope& s) { return backward_strided(s, 3); }},
      {"convolution", convolution},
      {"_convolution", convolution},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
