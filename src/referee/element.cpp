#include "referee/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "referee/compare.h"

namespace kvgen::referee {
namespace {

template <class T>
T at(std::span<const std::byte> data, std::size_t index) {
  T value;
  std::memcpy(&value, data.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class To, class From>
std::vector<To> cast(std::span<const std::byte> data) {
  std::vector<To> out(data.size() / sizeof(From));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<To>(at<From>(data, i));
  return out;
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

double from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

bool same_special(double got, double wanted) {
  if (std::isnan(wanted)) return std::isnan(got);
  return std::isinf(wanted) && got == wanted;
}

double rounds_to(double value, DType dtype) {
  if (dtype == DType::kFloat64) return value;
  const double largest = dtype == DType::kFloat16 ? 65520.0 : 3.4028235677973366e38;
  if (std::abs(value) >= largest)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return value;
}

}  // namespace

double error_ratio(const ExpectedOutput& expected, std::size_t element, double got) {
  const double value = rounds_to(expected.values[element], expected.spec.dtype);
  const double eager = expected.eager[element];
  if (!std::isfinite(got)) {
    const bool right = same_special(got, value) || same_special(got, eager);
    return right ? 0 : std::numeric_limits<double>::infinity();
  }
  if (expected.exact && got == eager) return 0;
  if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
  const double error = std::abs(got - expected.values[element]);
  if (error == 0) return 0;
  // A copied element is held by its type; a constant such as 0.9 is rounded to it.
  const bool held = expected.spec.dtype == DType::kFloat64 || value == eager;
  if (expected.exact && held) return std::numeric_limits<double>::infinity();
  return error / static_cast<double>(expected.limits[element]);
}

bool right_integer(const ExpectedOutput& expected, std::size_t element, std::int64_t got) {
  const std::int64_t wanted = expected.integers[element];
  if (got == wanted) return true;
  for (const auto& alternative : expected.alternatives) {
    if (alternative[element] == got) return true;
  }
  if (!expected.choice) return false;
  const Choice& from = *expected.choice;
  if (got < 0 || got >= from.extent || wanted < 0 || wanted >= from.extent) return false;
  const auto position = static_cast<std::int64_t>(element);
  const std::int64_t chosen = numel(expected.spec.shape) / (from.outer * from.inner);
  const std::int64_t inner = position % from.inner;
  const std::int64_t outer = position / from.inner / chosen;
  const auto place = [&](std::int64_t index) {
    return static_cast<std::size_t>((outer * from.extent + index) * from.inner + inner);
  };
  const double gap = std::abs(from.values[place(got)] - from.values[place(wanted)]);
  return gap <= static_cast<double>(from.limits[place(got)]) +
                    static_cast<double>(from.limits[place(wanted)]);
}

std::vector<std::int64_t> integers(DType dtype, std::span<const std::byte> data) {
  switch (dtype) {
    case DType::kInt8:
      return cast<std::int64_t, std::int8_t>(data);
    case DType::kInt16:
      return cast<std::int64_t, std::int16_t>(data);
    case DType::kUInt16:
      return cast<std::int64_t, std::uint16_t>(data);
    case DType::kInt32:
      return cast<std::int64_t, std::int32_t>(data);
    case DType::kUInt32:
      return cast<std::int64_t, std::uint32_t>(data);
    case DType::kInt64:
      return cast<std::int64_t, std::int64_t>(data);
    case DType::kUInt64:
      return cast<std::int64_t, std::uint64_t>(data);
    default:
      return cast<std::int64_t, std::uint8_t>(data);
  }
}

std::vector<double> numbers(DType dtype, std::span<const std::byte> data) {
  switch (dtype) {
    case DType::kFloat32:
      return cast<double, float>(data);
    case DType::kFloat64:
      return cast<double, double>(data);
    case DType::kFloat16:
    case DType::kBFloat16: {
      std::vector<double> out(data.size() / 2);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const auto bits = at<std::uint16_t>(data, i);
        out[i] = dtype == DType::kFloat16 ? from_half(bits) : from_bfloat16(bits);
      }
      return out;
    }
    default: {
      std::vector<double> out;
      for (const std::int64_t value : integers(dtype, data)) {
        out.push_back(static_cast<double>(value));
      }
      return out;
    }
  }
}

}  // namespace kvgen::referee
