#include "plan/arithmetic.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace kvgen {
namespace {

using Op = PlanOperator;
using Fn = PlanFunction;
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

IntegerResult overflow() { return {0, "overflow"}; }

IntegerResult floor_division(std::int64_t a, std::int64_t b) {
  if (b == 0) return {0, "division by zero"};
  if (a == kLowest && b == -1) return overflow();
  const std::int64_t quotient = a / b;
  return {quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0), ""};
}

IntegerResult floor_remainder(std::int64_t a, std::int64_t b) {
  if (b == 0) return {0, "division by zero"};
  if (b == -1) return {0, ""};
  const std::int64_t rest = a % b;
  return {rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest, ""};
}

IntegerResult ceil_division(std::int64_t a, std::int64_t b) {
  IntegerResult result = floor_division(a, b);
  if (result.problem.empty() && b != -1 && a % b != 0) ++result.value;
  return result;
}

IntegerResult multiply(std::int64_t a, std::int64_t b) {
  IntegerResult result;
  if (__builtin_mul_overflow(a, b, &result.value)) return overflow();
  return result;
}

IntegerResult shift(std::int64_t a, std::int64_t by, bool left) {
  if (by < 0 || by > 63) return {0, "a shift by " + std::to_string(by) + " (0 to 63)"};
  if (!left) return {a >> by, ""};
  const auto value = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << by);
  if ((value >> by) != a) return overflow();
  return {value, ""};
}

IntegerResult next_power(std::int64_t a) {
  if (a < 0) return {0, "next_pow2 of a negative number"};
  if (a > (std::int64_t{1} << 62)) return overflow();
  return {static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(a))), ""};
}

IntegerResult logarithm(std::int64_t a, bool ceil) {
  if (a < 1) return {0, "the logarithm of " + std::to_string(a)};
  const auto value = static_cast<std::uint64_t>(a);
  const int floor = std::bit_width(value) - 1;
  return {floor + (ceil && !std::has_single_bit(value) ? 1 : 0), ""};
}

}  // namespace

IntegerResult integer_operation(Op op, std::int64_t a, std::int64_t b) {
  IntegerResult result;
  switch (op) {
    case Op::kAdd:
      return __builtin_add_overflow(a, b, &result.value) ? overflow() : result;
    case Op::kSubtract:
      return __builtin_sub_overflow(a, b, &result.value) ? overflow() : result;
    case Op::kNegate:
      return __builtin_sub_overflow(std::int64_t{0}, a, &result.value) ? overflow() : result;
    case Op::kMultiply:
      return multiply(a, b);
    case Op::kDivide:
      return floor_division(a, b);
    case Op::kRemainder:
      return floor_remainder(a, b);
    case Op::kShiftLeft:
      return shift(a, b, true);
    case Op::kShiftRight:
      return shift(a, b, false);
    case Op::kBitOr:
      return {a | b, ""};
    case Op::kBitXor:
      return {a ^ b, ""};
    case Op::kBitAnd:
      return {a & b, ""};
    case Op::kComplement:
      return {~a, ""};
    default:
      return {0, "not an integer operation"};
  }
}

IntegerResult integer_function(Fn function, std::int64_t a, std::int64_t b) {
  switch (function) {
    case Fn::kMin:
      return {std::min(a, b), ""};
    case Fn::kMax:
      return {std::max(a, b), ""};
    case Fn::kAbs:
      return a < 0 ? integer_operation(Op::kNegate, a, 0) : IntegerResult{a, ""};
    case Fn::kCeilDiv:
      return ceil_division(a, b);
    case Fn::kFloorDiv:
      return floor_division(a, b);
    case Fn::kRoundUp: {
      if (b < 1) return {0, "round_up to a multiple of " + std::to_string(b)};
      const IntegerResult parts = ceil_division(a, b);
      return parts.problem.empty() ? multiply(parts.value, b) : parts;
    }
    case Fn::kLog2Ceil:
      return logarithm(a, true);
    case Fn::kLog2Floor:
      return logarithm(a, false);
    case Fn::kNextPow2:
      return next_power(a);
    default:
      return {0, "not an integer function"};
  }
}

}  // namespace kvgen
