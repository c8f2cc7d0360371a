#include "generate/builtin/window.h"

namespace kvgen::builtin {
namespace {

// dilation * (kernel - 1) + 1
Size extent(const Windows& windows, std::size_t d, const Size& one) {
  if (windows.dilation[d].is_unit()) return windows.kernel[d];
  return windows.dilation[d] * (windows.kernel[d] - one) + one;
}

}  // namespace

Sizes window_counts(Builder& b, int id, const Windows& windows, bool ceil) {
  Sizes counts;
  if (id < 0) return counts;
  const Size one = b.number(1);
  const std::size_t leading = b.shape(id).size() - windows.rank();
  for (std::size_t d = 0; d < windows.rank(); ++d) {
    const Size& length = b.shape(id)[leading + d];
    const Size& stride = windows.stride[d];
    const Size room = windows.before[d] + length + windows.after[d] - extent(windows, d, one);
    if (!ceil || stride.is_unit()) {
      counts.push_back(b.named(quotient(room, stride) + one));
      continue;
    }
    const Size most = derived("ceil_div($0, $1)", {room, stride},
                              [](const auto& v) { return (v[0] + v[1] - 1) / v[1]; });
    const Size outside = derived("($0 * $1 >= $2)", {most, stride, windows.before[d] + length},
                                 [](const auto& v) { return v[0] * v[1] >= v[2] ? 1 : 0; });
    counts.push_back(b.named(most + one - outside));
  }
  return counts;
}

int windows_of(Builder& b, int id, const Windows& windows, const Sizes& counts, int fill) {
  if (b.declined() || id < 0) return -1;
  const std::size_t leading = b.shape(id).size() - windows.rank();
  const Size one = b.number(1);
  Sizes before(leading, b.number(0));
  Sizes after = before;
  for (std::size_t d = 0; d < windows.rank(); ++d) {
    before.push_back(windows.before[d]);
    // What the last window reaches, which may be more than the padding asked for.
    const Size& length = b.shape(id)[leading + d];
    const Size reach = (counts[d] - one) * windows.stride[d] + extent(windows, d, one);
    bool inside = true;
    for (std::size_t v = 0; v < b.variants(); ++v) {
      inside = inside && reach.at[v] <= windows.before[d].at[v] + length.at[v];
    }
    after.push_back(inside ? b.number(0) : most(b.number(0), reach - windows.before[d] - length));
  }
  const int padded = b.pad(id, before, after, fill);
  if (padded < 0) return -1;
  Sizes shape(b.shape(id).begin(), b.shape(id).begin() + static_cast<std::ptrdiff_t>(leading));
  std::vector<IndexFormula> maps;
  for (std::size_t d = 0; d < leading; ++d) maps.push_back({"$0", {static_cast<int>(d)}, {}, -1});
  for (std::size_t d = 0; d < windows.rank(); ++d) {
    const auto within = static_cast<int>(leading + d);
    const auto count = static_cast<int>(leading + windows.rank() + d);
    IndexFormula where{"$0", {count, within}, {}, -1};
    if (!windows.stride[d].is_unit()) {
      where.text += " * #0";
      where.sizes.push_back(windows.stride[d]);
    }
    where.text += " + $1";
    if (!windows.dilation[d].is_unit()) {
      where.text += " * #" + std::to_string(where.sizes.size());
      where.sizes.push_back(windows.dilation[d]);
    }
    maps.push_back(std::move(where));
  }
  shape.insert(shape.end(), windows.kernel.begin(), windows.kernel.end());
  shape.insert(shape.end(), counts.begin(), counts.end());
  return b.map(padded, std::move(shape), std::move(maps));
}

}  // namespace kvgen::builtin
