#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kvgen {

// Element types of tensors and plan buffers, by their names in PyTorch.
enum class DType {
  kBool,
  kInt8,
  kUInt8,
  kInt16,
  kUInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kFloat8E4M3,
  kFloat8E4M3Fnuz,
  kFloat8E5M2,
  kFloat8E5M2Fnuz,
};

std::string_view to_string(DType dtype);
std::optional<DType> dtype_from(std::string_view name);

// Bytes an element takes.
int size_of(DType dtype);

bool is_floating(DType dtype);
bool is_integer(DType dtype);  // bool is not one
bool is_signed(DType dtype);

// Unit round-off of a floating type (2^-24 for float32); 0 otherwise.
double unit_roundoff(DType dtype);

}  // namespace kvgen
