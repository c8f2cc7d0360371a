#include "referee/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "referee/element.h"

namespace kvgen::referee {
namespace {

constexpr std::size_t kFirstShown = 4;
constexpr std::size_t kMedianSample = 1 << 18;
constexpr double kNoLimit = 1e300;
constexpr std::int64_t kByteCoincidence = 16;  // a wrong byte is its poison once in 256

bool close(double got, double eager, double tolerance) {
  if (std::isnan(eager) || std::isnan(got)) return std::isnan(eager) && std::isnan(got);
  if (std::isinf(eager) || std::isinf(got)) return eager == got;
  return std::abs(got - eager) <= tolerance + tolerance * std::abs(eager);
}

void note(Comparison& result, bool untouched, std::int64_t index) {
  ++result.wrong;
  if (result.first.size() < kFirstShown) result.first.push_back(index);
  if (!untouched) return;
  ++result.unwritten;
  if (result.first_unwritten.size() < kFirstShown) result.first_unwritten.push_back(index);
}

double median_of(std::vector<float>& ratios) {
  if (ratios.empty()) return 0;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

}  // namespace

Comparison compare(const ExpectedOutput& expected, std::span<const std::byte> data,
                   const Poison& poison) {
  Comparison result;
  result.of = numel(expected.spec.shape);
  const DType dtype = expected.spec.dtype;
  if (!expected.floating()) {
    const std::vector<std::int64_t> got = integers(dtype, data);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got[i] != expected.integers[i]) {
        result.allclose_1e2 = result.allclose_1e4 = false;
        result.max_abs_error = std::max(
            result.max_abs_error,
            std::abs(static_cast<double>(got[i]) - static_cast<double>(expected.integers[i])));
      }
      if (right_integer(expected, i, got[i])) continue;
      result.worst_ratio = kNoLimit;
      const auto index = static_cast<std::int64_t>(i);
      note(result, poison.untouched(dtype, data, index), index);
    }
    if (size_of(dtype) == 1 && result.unwritten * kByteCoincidence < result.wrong) {
      result.unwritten = 0;
      result.first_unwritten.clear();
    }
    return result;
  }

  const std::vector<double> got = numbers(dtype, data);
  std::vector<float> ratios;
  const std::size_t stride = got.size() / kMedianSample + 1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double eager = expected.eager[i];
    result.allclose_1e2 = result.allclose_1e2 && close(got[i], eager, 1e-2);
    result.allclose_1e4 = result.allclose_1e4 && close(got[i], eager, 1e-4);
    const double ratio = error_ratio(expected, i, got[i]);
    result.worst_ratio = std::max(result.worst_ratio, std::min(ratio, kNoLimit));
    const double error = std::abs(got[i] - expected.values[i]);
    if (std::isfinite(error)) result.max_abs_error = std::max(result.max_abs_error, error);
    if (i % stride == 0) ratios.push_back(static_cast<float>(std::min(ratio, 1e30)));
    if (ratio <= 1) continue;
    const auto index = static_cast<std::int64_t>(i);
    note(result, poison.untouched(dtype, data, index), index);
  }
  result.median_ratio = median_of(ratios);
  return result;
}

Shape index_of(std::int64_t flat, const Shape& shape) {
  Shape index(shape.size(), 0);
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return index;
}

}  // namespace kvgen::referee
