#include <limits>
#include <string>

#include "generate/builtin/lower.h"
#include "generate/builtin/statistics.h"
#include "generate/builtin/window.h"

namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

std::vector<int> dims_from(std::size_t first, std::size_t count) {
  std::vector<int> dims;
  for (std::size_t i = 0; i < count; ++i) dims.push_back(static_cast<int>(first + i));
  return dims;
}

struct Pool {
  int self = -1;
  Windows windows;
  Sizes counts;
  std::size_t leading = 0;
  bool ceil = false;
};

std::optional<Pool> pool(Scope& s, std::size_t rank, std::size_t dilation_position,
                         std::size_t ceil_position) {
  Pool p;
  p.self = s.tensor(0, "self");
  if (p.self < 0 || s.b.shape(p.self).size() < rank + 1) return std::nullopt;
  p.leading = s.b.shape(p.self).size() - rank;
  const auto kernel = s.sizes(1, "kernel_size", rank);
  if (!kernel) return std::nullopt;
  const Sizes ones(rank, s.b.number(1));
  const auto stride = s.sizes(2, "stride", rank, *kernel);
  const auto padding = s.sizes(3, "padding", rank, Sizes(rank, s.b.number(0)));
  const auto dilation =
      dilation_position == 0 ? ones : s.sizes(dilation_position, "dilation", rank, ones);
  const auto ceil = s.call.boolean(ceil_position, "ceil_mode", false);
  if (!stride || !padding || !dilation || !ceil) return std::nullopt;
  p.windows = {*kernel, *stride, *padding, *padding, *dilation};
  p.ceil = *ceil;
  p.counts = window_counts(s.b, p.self, p.windows, p.ceil);
  return p;
}

// Where the largest element of each window lies in the input's last dimensions.
int places(Scope& s, const Pool& p, int arg) {
  const std::size_t rank = p.windows.rank();
  const Sizes shape = s.b.shape(arg);
  int place = -1;
  Size inner = s.b.number(1);
  std::vector<int> along(rank);
  for (std::size_t d = rank; d-- > 0;) {
    along[d] = s.b.pointwise("($0 / $1 % $2)",
                             {arg, s.b.size_number(inner), s.b.size_number(p.windows.kernel[d])},
                             DType::kInt64);
    inner = p.windows.kernel[d] * inner;
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const int origin = s.b.position(shape, {"$0 * #0 - #1",
                                            {static_cast<int>(p.leading + rank + d)},
                                            {p.windows.stride[d], p.windows.before[d]},
                                            -1});
    const int at =
        s.b.pointwise("($0 + $1 * $2)", {origin, along[d], s.b.size_number(p.windows.dilation[d])},
                      DType::kInt64);
    const Size& length = s.b.shape(p.self)[p.leading + d];
    place = place < 0 ? at
                      : s.b.pointwise("($0 * $1 + $2)", {place, s.b.size_number(length), at},
                                      DType::kInt64);
  }
  return place;
}

Results max_pool(Scope& s, std::size_t rank, bool with_indices) {
  const auto p = pool(s, rank, 4, 5);
  if (!p || !is_floating(s.result_dtype())) return {s.unusual()};
  const int lowest = s.b.literal(-std::numeric_limits<double>::infinity());
  const int under = windows_of(s.b, p->self, p->windows, p->counts, lowest);
  const std::vector<int> dims = dims_from(p->leading, rank);
  Results results = {s.b.squeeze(s.b.reduce(Fold::kMax, under, dims), dims)};
  if (with_indices) {
    const int arg = s.b.arg_reduce(Fold::kMax, under, dims);
    results.push_back(arg < 0 ? -1 : s.b.squeeze(places(s, *p, arg), dims));
  }
  return results;
}

// How many elements each window has, of shape [1..., counts...].
int window_sizes(Scope& s, const Pool& p, bool with_padding) {
  Sizes shape(p.leading, s.b.number(1));
  shape.insert(shape.end(), p.counts.begin(), p.counts.end());
  int count = -1;
  for (std::size_t d = 0; d < p.windows.rank(); ++d) {
    const Size& length = s.b.shape(p.self)[p.leading + d];
    const Size& before = p.windows.before[d];
    // From the window's start to its end, neither beyond the elements that count.
    const char* text = with_padding
                           ? "($0 * #0 - #1 + #2 < #3 + #1 ? #2 : #3 + #1 - ($0 * #0 - #1))"
                           : "($0 * #0 - #1 + #2 < #3 ? $0 * #0 - #1 + #2 : #3) - "
                             "($0 * #0 < #1 ? 0 : $0 * #0 - #1)";
    const int one = s.b.position(shape, {text,
                                         {static_cast<int>(p.leading + d)},
                                         {p.windows.stride[d], before, p.windows.kernel[d], length},
                                         -1});
    count = count < 0 ? one : s.b.pointwise("($0 * $1)", {count, one}, DType::kInt64);
  }
  return count;
}

Results avg_pool(Scope& s, std::size_t rank) {
  const auto p = pool(s, rank, 0, 4);
  const auto include = s.call.boolean(5, "count_include_pad", true);
  const DType dtype = s.result_dtype();
  if (!p || !include || !is_floating(dtype)) return {s.unusual()};
  const int under = windows_of(s.b, p->self, p->windows, p->counts, s.b.literal(0));
  const std::vector<int> dims = dims_from(p->leading, rank);
  const int total = s.b.squeeze(s.b.reduce(Fold::kSum, under, dims), dims);
  bool padded = false;
  for (const Size& before : p->windows.before) padded = padded || before.text != "0";
  if (s.has(6, "divisor_override")) {
    return {s.b.pointwise("($0 / $1)", {total, s.b.scalar(s.call, 6, "divisor_override")}, dtype)};
  }
  if (!p->ceil && (*include || !padded)) {
    const Size count = product(p->windows.kernel, s.b.variants());
    return {s.b.pointwise("($0 / $1)", {total, s.b.size_scalar(count.text)}, dtype)};
  }
  return {s.b.pointwise("($0 / $1)", {total, window_sizes(s, *p, *include)}, dtype)};
}

struct Adaptive {
  int under = -1;  // [leading..., width..., counts...]
  int sizes = -1;  // of each window, of shape [1..., counts...]; -1 when all are whole
  std::vector<int> dims;
  Size count;
};

// Window o covers elements o * n / counts up to ceil((o + 1) * n / counts).
std::optional<Adaptive> adaptive(Scope& s, std::size_t rank, int fill) {
  const int self = s.tensor(0, "self");
  if (self < 0 || s.b.shape(self).size() < rank + 1) return std::nullopt;
  const Sizes shape = s.b.shape(self);
  const std::size_t leading = shape.size() - rank;
  const Argument* argument = s.call.argument(1, "output_size");
  const auto* list = argument == nullptr ? nullptr : argument->as<ArgumentList>();
  Sizes counts;
  Sizes widths;
  bool whole = true;
  for (std::size_t d = 0; d < rank; ++d) {
    const bool none = list != nullptr && d < list->size() && (*list)[d].is_null();
    const auto size = none ? std::optional<Size>(shape[leading + d])
                           : s.b.size_argument(s.call, 1, "output_size", static_cast<int>(d));
    if (!size) return std::nullopt;
    counts.push_back(*size);
    for (std::size_t v = 0; v < s.b.variants(); ++v) {
      if (size->at[v] < 1) return std::nullopt;
      whole = whole && shape[leading + d].at[v] % size->at[v] == 0;
    }
  }
  Adaptive a;
  a.dims = dims_from(leading, rank);
  a.count = s.b.number(1);
  for (std::size_t d = 0; d < rank; ++d) {
    const Size width = quotient(shape[leading + d], counts[d]);
    widths.push_back(s.b.named(whole ? width : width + s.b.number(2)));
    a.count = a.count * width;
  }
  if (whole) {
    const Sizes none(rank, s.b.number(0));
    const Windows windows{widths, widths, none, none, Sizes(rank, s.b.number(1))};
    a.under = windows_of(s.b, self, windows, counts, fill);
    return a;
  }
  Sizes under(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(leading));
  under.insert(under.end(), widths.begin(), widths.end());
  under.insert(under.end(), counts.begin(), counts.end());
  Sizes small(leading, s.b.number(1));
  small.insert(small.end(), counts.begin(), counts.end());
  std::vector<IndexFormula> maps;
  IndexFormula inside{"", {}, {}, -1};
  for (std::size_t d = 0; d < leading; ++d) maps.push_back({"$0", {static_cast<int>(d)}, {}, -1});
  for (std::size_t d = 0; d < rank; ++d) {
    const auto within = static_cast<int>(leading + d);
    const auto window = static_cast<int>(leading + rank + d);
    const Sizes both = {shape[leading + d], counts[d]};
    maps.push_back({"$0 * #0 / #1 + $1", {window, within}, both, -1});
    const std::string w = "$" + std::to_string(2 * d);
    const std::string n = "#" + std::to_string(2 * d);
    const std::string c = "#" + std::to_string(2 * d + 1);
    const std::string end = "((" + w + " + 1) * " + n + " + " + c + " - 1) / " + c;
    inside.text += (d == 0 ? "" : " && ") + w + " * " + n + " / " + c + " + $" +
                   std::to_string(2 * d + 1) + " < " + end;
    inside.dims.insert(inside.dims.end(), {window, within});
    inside.sizes.insert(inside.sizes.end(), both.begin(), both.end());
    const int one =
        s.b.position(small, {"(($0 + 1) * #0 + #1 - 1) / #1 - $0 * #0 / #1", {within}, both, -1});
    a.sizes = a.sizes < 0 ? one : s.b.pointwise("($0 * $1)", {a.sizes, one}, DType::kInt64);
  }
  a.under = s.b.guard(std::move(inside), s.b.map(self, std::move(under), std::move(maps)), fill);
  return a;
}

Results adaptive_avg(Scope& s, std::size_t rank) {
  const DType dtype = s.result_dtype();
  if (!is_floating(dtype)) return {s.unusual()};
  const auto a = adaptive(s, rank, s.b.literal(0));
  if (!a) return {s.unusual()};
  const int total = s.b.squeeze(s.b.reduce(Fold::kSum, a->under, a->dims), a->dims);
  const int count = a->sizes >= 0 ? a->sizes : s.b.size_scalar(a->count.text);
  return {s.b.pointwise("($0 / $1)", {total, count}, dtype)};
}

Results adaptive_max(Scope& s, std::size_t rank) {
  if (!is_floating(s.result_dtype())) return {s.unusual()};
  const auto a = adaptive(s, rank, s.b.literal(-std::numeric_limits<double>::infinity()));
  if (!a) return {s.unusual()};
  return {s.b.squeeze(s.b.reduce(Fold::kMax, a->under, a->dims), a->dims)};
}

}  // namespace

void add_pool_rules(Rules& rules) {
  const Rules more = {
      {"max_pool1d", [](Scope& s) { return max_pool(s, 1, false); }},
      {"max_pool2d", [](Scope& s) { return max_pool(s, 2, false); }},
      {"max_pool3d", [](Scope& s) { return max_pool(s, 3, false); }},
      {"max_pool1d_with_indices", [](Scope& s) { return max_pool(s, 1, true); }},
      {"max_pool2d_with_indices", [](Scope& s) { return max_pool(s, 2, true); }},
      {"max_pool3d_with_indices", [](Scope& s) { return max_pool(s, 3, true); }},
      {"avg_pool1d", [](Scope& s) { return avg_pool(s, 1); }},
      {"avg_pool2d", [](Scope& s) { return avg_pool(s, 2); }},
      {"avg_pool3d", [](Scope& s) { return avg_pool(s, 3); }},
      {"adaptive_avg_pool1d", [](Scope& s) { return adaptive_avg(s, 1); }},
      {"adaptive_avg_pool2d", [](Scope& s) { return adaptive_avg(s, 2); }},
      {"adaptive_avg_pool3d", [](Scope& s) { return adaptive_avg(s, 3); }},
      {"_adaptive_avg_pool2d", [](Scope& s) { return adaptive_avg(s, 2); }},
      {"_adaptive_avg_pool3d", [](Scope& s) { return adaptive_avg(s, 3); }},
      {"adaptive_max_pool1d", [](Scope& s) { return adaptive_max(s, 1); }},
      {"adaptive_max_pool2d", [](Scope& s) { return adaptive_max(s, 2); }},
      {"adaptive_max_pool3d", [](Scope& s) { return adaptive_max(s, 3); }},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
