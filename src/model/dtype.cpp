#include "kvgen/model/dtype.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvgen {
namespace {

enum class Kind { kBool, kSigned, kUnsigned, kFloating };

struct Row {
  DType dtype;
  std::string_view name;
  int bytes;
  Kind kind;
  int significand_bits;  // with the hidden one
};

constexpr std::array kRows = {
    Row{DType::kBool, "bool", 1, Kind::kBool, 0},
    Row{DType::kInt8, "int8", 1, Kind::kSigned, 0},
    Row{DType::kUInt8, "uint8", 1, Kind::kUnsigned, 0},
    Row{DType::kInt16, "int16", 2, Kind::kSigned, 0},
    Row{DType::kUInt16, "uint16", 2, Kind::kUnsigned, 0},
    Row{DType::kInt32, "int32", 4, Kind::kSigned, 0},
    Row{DType::kUInt32, "uint32", 4, Kind::kUnsigned, 0},
    Row{DType::kInt64, "int64", 8, Kind::kSigned, 0},
    Row{DType::kUInt64, "uint64", 8, Kind::kUnsigned, 0},
    Row{DType::kFloat16, "float16", 2, Kind::kFloating, 11},
    Row{DType::kBFloat16, "bfloat16", 2, Kind::kFloating, 8},
    Row{DType::kFloat32, "float32", 4, Kind::kFloating, 24},
    Row{DType::kFloat64, "float64", 8, Kind::kFloating, 53},
    Row{DType::kFloat8E4M3, "float8_e4m3fn", 1, Kind::kFloating, 4},
    Row{DType::kFloat8E4M3Fnuz, "float8_e4m3fnuz", 1, Kind::kFloating, 4},
    Row{DType::kFloat8E5M2, "float8_e5m2", 1, Kind::kFloating, 3},
    Row{DType::kFloat8E5M2Fnuz, "float8_e5m2fnuz", 1, Kind::kFloating, 3},
};

const Row& row(DType dtype) { return kRows.at(static_cast<std::size_t>(dtype)); }

}  // namespace

std::string_view to_string(DType dtype) { return row(dtype).name; }

std::optional<DType> dtype_from(std::string_view name) {
  const auto* found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.name == name; });
  if (found == kRows.end()) return std::nullopt;
  return found->dtype;
}

int size_of(DType dtype) { return row(dtype).bytes; }
bool is_floating(DType dtype) { return row(dtype).kind == Kind::kFloating; }
bool is_integer(DType dtype) {
  return row(dtype).kind == Kind::kSigned || row(dtype).kind == Kind::kUnsigned;
}
bool is_signed(DType dtype) {
  return row(dtype).kind == Kind::kSigned || row(dtype).kind == Kind::kFloating;
}

double unit_roundoff(DType dtype) {
  return is_floating(dtype) ? std::ldexp(1.0, -row(dtype).significand_bits) : 0.0;
}

}  // namespace kvgen
