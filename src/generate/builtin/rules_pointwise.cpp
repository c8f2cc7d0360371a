#include <algorithm>
#include <string>

#include "generate/builtin/lower.h"

namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

// The type a comparison is made in.
DType common_type(Scope& s, const std::vector<int>& inputs) {
  bool floating = false;
  bool doubles = false;
  for (const int input : inputs) {
    if (input < 0) continue;
    const bool scalar = s.b.node(input).kind == Kind::kScalar;
    floating = floating || is_floating(s.b.dtype(input));
    doubles = doubles || (!scalar && s.b.dtype(input) == DType::kFloat64);
  }
  if (doubles) return DType::kFloat64;
  return floating ? DType::kFloat32 : DType::kInt64;
}

Results unary(Scope& s, const char* formula) {
  const DType dtype = s.result_dtype();
  return {s.b.pointwise(formula, {s.tensor(0, "self")}, dtype)};
}

// Floating-point only: integer arguments are widened by the result's dtype.
#define KVGEN_UNARY(name, text)                                \
  {#name, [](Scope& s) -> Results {                            \
     if (!is_floating(s.result_dtype())) return {s.unusual()}; \
     return unary(s, text);                                    \
   }}

Results add_like(Scope& s, const char* sign) {
  const DType dtype = s.result_dtype();
  const int a = s.operand(0, "self");
  const int b = s.operand(1, "other");
  if (dtype == DType::kBool) return {s.unusual()};
  if (!s.has(2, "alpha"))
    return {s.b.pointwise("($0 " + std::string(sign) + " $1)", {a, b}, dtype)};
  const int alpha = s.b.scalar(s.call, 2, "alpha");
  return {s.b.pointwise("($0 " + std::string(sign) + " $2 * $1)", {a, b, alpha}, dtype)};
}

Results rsub(Scope& s) {
  const DType dtype = s.result_dtype();
  const int a = s.operand(0, "self");
  const int b = s.operand(1, "other");
  if (!s.has(2, "alpha")) return {s.b.pointwise("($1 - $0)", {a, b}, dtype)};
  return {s.b.pointwise("($1 - $2 * $0)", {a, b, s.b.scalar(s.call, 2, "alpha")}, dtype)};
}

Results mul(Scope& s) {
  const DType dtype = s.result_dtype();
  const char* formula = dtype == DType::kBool ? "($0 && $1)" : "($0 * $1)";
  return {s.b.pointwise(formula, {s.operand(0, "self"), s.operand(1, "other")}, dtype)};
}

Results div(Scope& s) {
  const DType dtype = s.result_dtype();
  const std::vector<int> inputs = {s.operand(0, "self"), s.operand(1, "other")};
  if (!is_floating(dtype)) return {s.unusual()};
  const auto mode = s.call.text(2, "rounding_mode", "");
  if (!mode) return {s.unusual()};
  if (mode->empty()) return {s.b.pointwise("($0 / $1)", inputs, dtype)};
  if (*mode == "trunc") return {s.b.pointwise("trunc@($0 / $1)", inputs, dtype)};
  return {s.unusual()};
}

Results binary(Scope& s, const char* formula) {
  const std::vector<int> inputs = {s.operand(0, "self"), s.operand(1, "other")};
  return {s.b.pointwise(formula, inputs, s.result_dtype())};
}

Results floating_binary(Scope& s, const char* formula) {
  if (!is_floating(s.result_dtype())) return {s.unusual()};
  return binary(s, formula);
}

Results floor_divide(Scope& s) {
  if (is_floating(s.result_dtype())) return binary(s, "floor@($0 / $1)");
  return binary(s, "($0 / $1 - ($0 % $1 != 0 && ($0 < 0) != ($1 < 0)))");
}

// The sign of the divisor, as Python has it.
Results remainder(Scope& s) {
  if (is_floating(s.result_dtype())) {
    return binary(s,
                  "(fmod@($0, $1) != T(0) && (fmod@($0, $1) < T(0)) != ($1 < T(0)) ? "
                  "fmod@($0, $1) + $1 : fmod@($0, $1))");
  }
  return binary(s, "(T)(($0 % $1 + $1) % $1)");
}

Results bitwise(Scope& s, const std::string& sign) {
  const DType dtype = s.result_dtype();
  if (is_floating(dtype)) return {s.unusual()};
  return binary(s, ("(T)($0 " + sign + " $1)").c_str());
}

Results compare(Scope& s, const char* formula) {
  const std::vector<int> inputs = {s.operand(0, "self"), s.operand(1, "other")};
  return {s.b.pointwise(formula, inputs, DType::kBool, common_type(s, inputs))};
}

Results logical(Scope& s, const char* formula) {
  const std::vector<int> inputs = {s.operand(0, "self"), s.operand(1, "other")};
  return {s.b.pointwise(formula, inputs, DType::kBool)};
}

// NaN wins, as in torch.
constexpr const char* kMaximum = "($0 > $1 || $0 != $0 ? $0 : $1)";
constexpr const char* kMinimum = "($0 < $1 || $0 != $0 ? $0 : $1)";
// A bound leaves NaN as it is.
constexpr const char* kAtLeast = "($0 < $1 ? $1 : $0)";
constexpr const char* kAtMost = "($0 > $1 ? $1 : $0)";

Results maximum(Scope& s) { return binary(s, kMaximum); }
Results minimum(Scope& s) { return binary(s, kMinimum); }

Results clamp(Scope& s) {
  const DType dtype = s.result_dtype();
  int value = s.tensor(0, "self");
  const auto bounded = [&](std::size_t position, const char* name, const char* number,
                           const char* tensor) {
    if (!s.has(position, name)) return;
    const int bound = s.operand(position, name);
    const bool is_tensor = bound >= 0 && s.b.node(bound).kind != Kind::kScalar;
    value = s.b.pointwise(is_tensor ? tensor : number, {value, bound}, dtype);
  };
  bounded(1, "min", kAtLeast, kMaximum);
  bounded(2, "max", kAtMost, kMinimum);
  return {s.b.cast(value, dtype)};
}

Results clamp_min(Scope& s) {
  const int bound = s.operand(1, "min");
  const bool number = bound >= 0 && s.b.node(bound).kind == Kind::kScalar;
  return {
      s.b.pointwise(number ? kAtLeast : kMaximum, {s.tensor(0, "self"), bound}, s.result_dtype())};
}

Results clamp_max(Scope& s) {
  const int bound = s.operand(1, "max");
  const bool number = bound >= 0 && s.b.node(bound).kind == Kind::kScalar;
  return {
      s.b.pointwise(number ? kAtMost : kMinimum, {s.tensor(0, "self"), bound}, s.result_dtype())};
}

Results power(Scope& s) {
  const DType dtype = s.result_dtype();
  if (!is_floating(dtype)) return {s.unusual()};
  const auto exponent = s.call.number_at(1, "exponent");
  const auto is = [&](double wanted) {
    if (!exponent) return false;
    for (const double value : exponent->at) {
      if (value != wanted) return false;
    }
    return true;
  };
  const int base = s.operand(0, "self");
  if (is(2)) return {s.b.pointwise("($0 * $0)", {base}, dtype)};
  if (is(3)) return {s.b.pointwise("($0 * $0 * $0)", {base}, dtype)};
  if (is(1)) return {s.b.cast(base, dtype)};
  if (is(0.5)) return {s.b.pointwise("sqrt@($0)", {base}, dtype)};
  if (is(-1)) return {s.b.pointwise("(T(1) / $0)", {base}, dtype)};
  if (is(-0.5)) return {s.b.pointwise("(T(1) / sqrt@($0))", {base}, dtype)};
  return {s.b.pointwise("pow@($0, $1)", {base, s.operand(1, "exponent")}, dtype)};
}

Results where(Scope& s) {
  const DType dtype = s.result_dtype();
  const int condition = s.b.cast(s.tensor(0, "condition"), DType::kBool);
  std::vector<int> inputs = {condition, s.operand(1, "self"), s.operand(2, "other")};
  for (int i : {1, 2}) {
    int& input = inputs[static_cast<std::size_t>(i)];
    if (input >= 0 && s.b.node(input).kind != Kind::kScalar) input = s.b.cast(input, dtype);
  }
  return {s.b.mixed("($0 ? $1 : $2)", inputs, dtype, dtype)};
}

Results masked_fill(Scope& s) {
  const DType dtype = s.result_dtype();
  const int self = s.b.cast(s.tensor(0, "self"), dtype);
  const int mask = s.b.cast(s.tensor(1, "mask"), DType::kBool);
  int value = s.operand(2, "value");
  if (value >= 0 && s.b.node(value).kind != Kind::kScalar) value = s.b.cast(value, dtype);
  return {s.b.mixed("($1 ? $2 : $0)", {self, mask, value}, dtype, dtype)};
}

Results addcmul(Scope& s) {
  const DType dtype = s.result_dtype();
  return {s.b.pointwise("($0 + $3 * $1 * $2)",
                        {s.tensor(0, "self"), s.tensor(1, "tensor1"), s.tensor(2, "tensor2"),
                         s.b.scalar(s.call, 3, "value", 1)},
                        dtype)};
}

Results addcdiv(Scope& s) {
  const DType dtype = s.result_dtype();
  return {s.b.pointwise("($0 + $3 * ($1 / $2))",
                        {s.tensor(0, "self"), s.tensor(1, "tensor1"), s.tensor(2, "tensor2"),
                         s.b.scalar(s.call, 3, "value", 1)},
                        dtype)};
}

Results lerp(Scope& s) {
  const DType dtype = s.result_dtype();
  return {s.b.pointwise(
      "($2 < T(0.5) && $2 > T(-0.5) ? $0 + $2 * ($1 - $0) : $1 - ($1 - $0) * (T(1) - $2))",
      {s.tensor(0, "self"), s.tensor(1, "end"), s.operand(2, "weight")}, dtype)};
}

Results cast_rule(Scope& s) { return {s.b.cast(s.tensor(0, "self"), s.result_dtype())}; }

Results dropout(Scope& s) {
  const auto train = s.call.boolean(2, "train", false);
  const auto p = s.call.number_at(1, "p");
  const bool keeps_all =
      p && std::all_of(p->at.begin(), p->at.end(), [](auto v) { return v == 0; });
  if (!train || (*train && !keeps_all)) return {s.unusual()};
  return {s.tensor(0, "input")};
}

Results nan_to_num(Scope& s) {
  const DType dtype = s.result_dtype();
  if (!is_floating(dtype) || s.has(2, "posinf") || s.has(3, "neginf")) return {s.unusual()};
  if (dtype != DType::kFloat32) return {s.unusual()};
  return {
      s.b.pointwise("($0 != $0 ? $1 : isinf($0) ? ($0 > T(0) ? T(3.4028234663852886e38) : "
                    "T(-3.4028234663852886e38)) : $0)",
                    {s.tensor(0, "self"), s.b.scalar(s.call, 1, "nan", 0)}, dtype)};
}

Results broadcast_tensors(Scope& s) {
  Results values = s.tensors(0, "tensors");
  if (s.b.declined()) return values;
  const auto common = s.b.broadcast_shape(values);
  if (!common) return {s.unusual()};
  for (int& value : values) value = s.b.broadcast_to(value, *common);
  return values;
}

Results full_like(Scope& s, int value) {
  const int like = s.tensor(0, "self");
  if (like < 0) return {-1};
  const int one = s.b.mixed("(T)$0", {value}, s.result_dtype(), s.result_dtype());
  return {s.b.broadcast_to(one, s.b.shape(like))};
}

Results fill(Scope& s) { return full_like(s, s.operand(1, "value")); }

// A tensor of a shape that the call says; its sizes must be known.
Results filled(Scope& s, int value) {
  const auto target = s.call.shape();
  if (!target) return {s.unusual()};
  Sizes sizes;
  for (const auto& at : *target) {
    const auto size = s.b.expressed(at);
    if (!size) return {s.unusual()};
    sizes.push_back(*size);
  }
  const int one = s.b.mixed("(T)$0", {value}, s.result_dtype(), s.result_dtype());
  return {s.b.broadcast_to(one, sizes)};
}

}  // namespace

void add_pointwise_rules(Rules& rules) {
  const Rules more = {
      KVGEN_UNARY(exp, "exp@($0)"),
      KVGEN_UNARY(exp2, "exp2@($0)"),
      KVGEN_UNARY(expm1, "expm1@($0)"),
      KVGEN_UNARY(log, "log@($0)"),
      KVGEN_UNARY(log2, "log2@($0)"),
      KVGEN_UNARY(log10, "log10@($0)"),
      KVGEN_UNARY(log1p, "log1p@($0)"),
      KVGEN_UNARY(sqrt, "sqrt@($0)"),
      KVGEN_UNARY(rsqrt, "(T(1) / sqrt@($0))"),
      KVGEN_UNARY(sin, "sin@($0)"),
      KVGEN_UNARY(cos, "cos@($0)"),
      KVGEN_UNARY(tan, "tan@($0)"),
      KVGEN_UNARY(asin, "asin@($0)"),
      KVGEN_UNARY(acos, "acos@($0)"),
      KVGEN_UNARY(atan, "atan@($0)"),
      KVGEN_UNARY(sinh, "sinh@($0)"),
      KVGEN_UNARY(cosh, "cosh@($0)"),
      KVGEN_UNARY(tanh, "tanh@($0)"),
      KVGEN_UNARY(erf, "erf@($0)"),
      KVGEN_UNARY(erfc, "erfc@($0)"),
      KVGEN_UNARY(floor, "floor@($0)"),
      KVGEN_UNARY(ceil, "ceil@($0)"),
      KVGEN_UNARY(trunc, "trunc@($0)"),
      KVGEN_UNARY(sigmoid, "(T(1) / (T(1) + exp@(-$0)))"),
      KVGEN_UNARY(reciprocal, "(T(1) / $0)"),
      {"round",
       [](Scope& s) -> Results {
         if (s.call.overload() == "decimals" || !is_floating(s.result_dtype())) {
           return {s.unusual()};
         }
         return unary(s, "rint@($0)");
       }},
      KVGEN_UNARY(frac, "($0 - trunc@($0))"),
      KVGEN_UNARY(asinh, "asinh@($0)"),
      KVGEN_UNARY(acosh, "acosh@($0)"),
      KVGEN_UNARY(atanh, "atanh@($0)"),
      KVGEN_UNARY(tanhshrink, "($0 - tanh@($0))"),
      KVGEN_UNARY(deg2rad, "($0 * T(0.017453292519943295))"),
      KVGEN_UNARY(rad2deg, "($0 * T(57.29577951308232))"),
      {"isnan",
       [](Scope& s) -> Results {
         const int self = s.tensor(0, "self");
         if (self < 0) return {-1};
         return {s.b.pointwise("($0 != $0)", {self}, DType::kBool, s.b.dtype(self))};
       }},
      {"floor_divide", floor_divide},
      {"remainder", remainder},
      {"fmod", [](Scope& s) { return floating_binary(s, "fmod@($0, $1)"); }},
      {"xlogy", [](Scope& s) { return floating_binary(s, "($0 == T(0) ? T(0) : $0 * log@($1))"); }},
      {"hypot", [](Scope& s) { return floating_binary(s, "sqrt@($0 * $0 + $1 * $1)"); }},
      {"logaddexp",
       [](Scope& s) {
         return floating_binary(s,
                                "(isinf($0) && $0 == $1 ? $0 : ($0 > $1 ? $0 : $1) + "
                                "log1p@(exp@(-fabs@($0 - $1))))");
       }},
      {"bitwise_and", [](Scope& s) { return bitwise(s, "&"); }},
      {"bitwise_or", [](Scope& s) { return bitwise(s, "|"); }},
      {"bitwise_xor", [](Scope& s) { return bitwise(s, "^"); }},
      {"__and__", [](Scope& s) { return bitwise(s, "&"); }},
      {"__or__", [](Scope& s) { return bitwise(s, "|"); }},
      {"nan_to_num", nan_to_num},
      {"fill", fill},
      {"zero", [](Scope& s) { return full_like(s, s.b.literal(0)); }},
      {"broadcast_tensors", broadcast_tensors},
      {"neg", [](Scope& s) { return unary(s, "(-$0)"); }},
      {"abs", [](Scope& s) { return unary(s, "($0 < T(0) ? -$0 : $0 + T(0))"); }},
      {"square", [](Scope& s) { return unary(s, "($0 * $0)"); }},
      {"relu", [](Scope& s) { return unary(s, "($0 < T(0) ? T(0) : $0)"); }},
      {"sign", [](Scope& s) { return unary(s, "(T)(($0 > T(0)) - ($0 < T(0)))"); }},
      {"logical_not",
       [](Scope& s) -> Results {
         return {s.b.pointwise("(!$0)", {s.tensor(0, "self")}, DType::kBool)};
       }},
      {"bitwise_not",
       [](Scope& s) -> Results {
         if (s.result_dtype() != DType::kBool) return unary(s, "(T)(~$0)");
         return {s.b.pointwise("(!$0)", {s.tensor(0, "self")}, DType::kBool)};
       }},
      {"add", [](Scope& s) { return add_like(s, "+"); }},
      {"sub", [](Scope& s) { return add_like(s, "-"); }},
      {"subtract", [](Scope& s) { return add_like(s, "-"); }},
      {"rsub", rsub},
      {"mul", mul},
      {"multiply", mul},
      {"div", div},
      {"divide", div},
      {"true_divide", div},
      {"maximum", maximum},
      {"minimum", minimum},
      {"clamp", clamp},
      {"clip", clamp},
      {"clamp_min", clamp_min},
      {"clamp_max", clamp_max},
      {"pow", power},
      {"atan2", [](Scope& s) { return binary(s, "atan2@($0, $1)"); }},
      {"eq", [](Scope& s) { return compare(s, "($0 == $1)"); }},
      {"ne", [](Scope& s) { return compare(s, "($0 != $1)"); }},
      {"lt", [](Scope& s) { return compare(s, "($0 < $1)"); }},
      {"le", [](Scope& s) { return compare(s, "($0 <= $1)"); }},
      {"gt", [](Scope& s) { return compare(s, "($0 > $1)"); }},
      {"ge", [](Scope& s) { return compare(s, "($0 >= $1)"); }},
      {"logical_and", [](Scope& s) { return logical(s, "($0 && $1)"); }},
      {"logical_or", [](Scope& s) { return logical(s, "($0 || $1)"); }},
      {"logical_xor", [](Scope& s) { return logical(s, "($0 != $1)"); }},
      {"where", where},
      {"masked_fill", masked_fill},
      {"addcmul", addcmul},
      {"addcdiv", addcdiv},
      {"lerp", lerp},
      {"to", cast_rule},
      {"_to_copy", cast_rule},
      {"type_as", cast_rule},
      {"float", cast_rule},
      {"half", cast_rule},
      {"bfloat16", cast_rule},
      {"double", cast_rule},
      {"long", cast_rule},
      {"int", cast_rule},
      {"clone", cast_rule},
      {"detach", cast_rule},
      {"detach_", cast_rule},
      {"alias", cast_rule},
      {"contiguous", cast_rule},
      {"lift_fresh_copy", cast_rule},
      {"dropout", dropout},
      {"feature_dropout", dropout},
      {"zeros", [](Scope& s) { return filled(s, s.b.literal(0)); }},
      {"ones", [](Scope& s) { return filled(s, s.b.literal(1)); }},
      {"new_zeros", [](Scope& s) { return filled(s, s.b.literal(0)); }},
      {"new_ones", [](Scope& s) { return filled(s, s.b.literal(1)); }},
      {"full", [](Scope& s) { return filled(s, s.b.scalar(s.call, 1, "fill_value")); }},
      {"new_full", [](Scope& s) { return filled(s, s.b.scalar(s.call, 2, "fill_value")); }},
      {"scalar_tensor", [](Scope& s) { return filled(s, s.b.scalar(s.call, 0, "s")); }},
      {"zeros_like", [](Scope& s) { return full_like(s, s.b.literal(0)); }},
      {"ones_like", [](Scope& s) { return full_like(s, s.b.literal(1)); }},
      {"full_like", [](Scope& s) { return full_like(s, s.b.scalar(s.call, 1, "fill_value")); }},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
