#include "plan/scalar.h"

#include <cmath>
#include <limits>

namespace kvgen {
namespace {

struct Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_infinity;
  double largest;
  bool has_negative_zero = true;
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {5, 10, 15, true, 65504.0};
    case DType::kBFloat16:
      return {8, 7, 127, true, std::ldexp(1.9921875, 127)};
    case DType::kFloat64:
      return {11, 52, 1023, true, std::numeric_limits<double>::max()};
    case DType::kFloat8E4M3:
      return {4, 3, 7, false, 448.0};
    case DType::kFloat8E4M3Fnuz:
      return {4, 3, 8, false, 240.0, false};
    case DType::kFloat8E5M2:
      return {5, 2, 15, true, 57344.0};
    case DType::kFloat8E5M2Fnuz:
      return {5, 2, 16, false, 57344.0, false};
    default:
      return {8, 23, 127, true, std::numeric_limits<float>::max()};
  }
}

// Shortest text that tells a value from its neighbours, for messages.
std::string text_of(double value) { return literal(value).text; }

}  // namespace

Encoded encode_real(double value, DType dtype) {
  const Format format = format_of(dtype);
  const std::string name(to_string(dtype));
  if (std::isnan(value)) return {0, "NaN"};
  const std::uint64_t sign =
      std::signbit(value) ? std::uint64_t{1} << (format.exponent_bits + format.mantissa_bits) : 0;
  const double magnitude = std::abs(value);
  if (std::isinf(value)) {
    if (!format.has_infinity) return {0, "infinity does not exist in " + name};
    const std::uint64_t exponent = (std::uint64_t{1} << format.exponent_bits) - 1;
    return {sign | exponent << format.mantissa_bits, ""};
  }
  if (magnitude == 0) return {format.has_negative_zero ? sign : 0, ""};

  // Scaled so that one unit in the last place is 1; nearbyint rounds to even.
  const int least_exponent = 1 - format.bias;
  const int exponent = std::max(std::ilogb(magnitude), least_exponent);
  const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  const double rounded = std::ldexp(units, exponent - format.mantissa_bits);
  if (rounded > format.largest) return {0, text_of(value) + " is beyond " + name};
  if (rounded == 0) return {format.has_negative_zero ? sign : 0, ""};

  // A carry into the next power of two, and out of the subnormals, adds up in
  // the encoding by itself.
  const auto mantissa = static_cast<std::uint64_t>(units);
  const auto biased = static_cast<std::uint64_t>(exponent + format.bias - 1);
  return {sign | ((biased << format.mantissa_bits) + mantissa), ""};
}

double decode_real(std::uint64_t bits, DType dtype) {
  const Format format = format_of(dtype);
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  const std::uint64_t exponent =
      bits >> format.mantissa_bits & ((std::uint64_t{1} << format.exponent_bits) - 1);
  const bool negative = (bits >> (format.mantissa_bits + format.exponent_bits) & 1) != 0;
  const bool infinite = format.has_infinity && mantissa == 0 &&
                        exponent == (std::uint64_t{1} << format.exponent_bits) - 1;
  double value = std::numeric_limits<double>::infinity();
  if (!infinite) {
    const std::uint64_t hidden = exponent == 0 ? 0 : std::uint64_t{1} << format.mantissa_bits;
    const int power = std::max(static_cast<int>(exponent), 1) - format.bias - format.mantissa_bits;
    value = std::ldexp(static_cast<double>(mantissa | hidden), power);
  }
  return negative ? -value : value;
}

Encoded encode_integer(std::int64_t value, DType dtype) {
  const std::string name(to_string(dtype));
  if (is_floating(dtype)) {
    const auto wide = static_cast<double>(value);
    // 2^63 as a double does not convert back.
    const bool exact = wide < 0x1p63 && static_cast<std::int64_t>(wide) == value;
    Encoded encoded = encode_real(wide, dtype);
    if (encoded.problem.empty() && (!exact || decode_real(encoded.bits, dtype) != wide)) {
      return {0, std::to_string(value) + " is not exact in " + name};
    }
    return encoded;
  }
  const int bits = 8 * size_of(dtype);
  bool fits = true;
  if (dtype == DType::kBool) {
    fits = value == 0 || value == 1;
  } else if (!is_signed(dtype)) {
    fits = value >= 0 && (bits == 64 || value >> bits == 0);
  } else if (bits < 64) {
    const std::int64_t limit = std::int64_t{1} << (bits - 1);
    fits = -limit <= value && value < limit;
  }
  if (!fits) return {0, std::to_string(value) + " does not fit " + name};
  const auto raw = static_cast<std::uint64_t>(value);
  return {bits == 64 ? raw : raw & ((std::uint64_t{1} << bits) - 1), ""};
}

DType dtype_of(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::kBool:
      return DType::kBool;
    case ScalarKind::kI32:
      return DType::kInt32;
    case ScalarKind::kU32:
      return DType::kUInt32;
    case ScalarKind::kI64:
      return DType::kInt64;
    case ScalarKind::kU64:
      return DType::kUInt64;
    case ScalarKind::kF16:
      return DType::kFloat16;
    case ScalarKind::kBF16:
      return DType::kBFloat16;
    case ScalarKind::kF32:
      return DType::kFloat32;
    case ScalarKind::kF64:
      return DType::kFloat64;
  }
  return DType::kFloat32;
}

std::optional<DType> dtype_of(const KernelParameter& parameter) {
  using Element = KernelParameter::Element;
  const int bytes = parameter.element_bytes;
  if (parameter.components != 1) return std::nullopt;
  switch (parameter.element) {
    case Element::kBool:
      return DType::kBool;
    case Element::kBFloat16:
      return DType::kBFloat16;
    case Element::kFloating:
      if (bytes == 2) return DType::kFloat16;
      if (bytes == 4) return DType::kFloat32;
      if (bytes == 8) return DType::kFloat64;
      return std::nullopt;
    case Element::kSigned:
      if (bytes == 1) return DType::kInt8;
      if (bytes == 2) return DType::kInt16;
      if (bytes == 4) return DType::kInt32;
      if (bytes == 8) return DType::kInt64;
      return std::nullopt;
    case Element::kUnsigned:
      if (bytes == 1) return DType::kUInt8;
      if (bytes == 2) return DType::kUInt16;
      if (bytes == 4) return DType::kUInt32;
      if (bytes == 8) return DType::kUInt64;
      return std::nullopt;
    case Element::kOpaque:
      return std::nullopt;
  }
  return std::nullopt;
}

Encoded encode_scalar(const PlanNumber& value, std::optional<ScalarKind> kind,
                      const KernelParameter& parameter) {
  const auto target = dtype_of(parameter);
  if (!target) return {0, "a parameter of type " + parameter.type + " takes no scalar"};
  if (kind && is_floating(*kind)) {
    const Encoded first = encode_real(value.as_real(), dtype_of(*kind));
    if (!first.problem.empty()) return first;
    if (!is_floating(*target)) return {0, "a fraction for the integer parameter " + parameter.type};
    return encode_real(decode_real(first.bits, dtype_of(*kind)), *target);
  }
  // A bare expression takes the parameter's kind: a real-expr, rounded once.
  if (!kind && is_floating(*target)) return encode_real(value.as_real(), *target);
  if (value.real()) {
    if (!is_floating(*target)) {
      return {0, text_of(value.as_real()) + " is a fraction; the parameter's type is " +
                     parameter.type};
    }
    return encode_real(value.as_real(), *target);
  }
  const std::int64_t integer = std::get<0>(value.value);
  if (kind) {
    const Encoded first = encode_integer(integer, dtype_of(*kind));
    if (!first.problem.empty()) return first;
  }
  return encode_integer(integer, *target);
}

}  // namespace kvgen
