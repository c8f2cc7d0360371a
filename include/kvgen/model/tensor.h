#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/model/dtype.h"

namespace kvgen {

using Shape = std::vector<std::int64_t>;

// Elements of a shape; 1 for a scalar tensor.
std::int64_t numel(const Shape& shape);

// Strides in elements of a contiguous (row-major) tensor.
Shape contiguous_strides(const Shape& shape);

std::string to_text(const Shape& shape);  // "[6, 1000]"

// The role of a tensor at a task's boundary.
enum class TensorRole { kInput, kParameter, kBuffer, kConstant, kOutput, kInPlace };
std::string_view to_string(TensorRole role);

// A tensor that a plan may name: always contiguous at the boundary. kInPlace is
// a NAME.out that starts as a copy of NAME.
struct TensorSpec {
  std::string name;
  TensorRole role = TensorRole::kInput;
  DType dtype = DType::kFloat32;
  Shape shape;

  [[nodiscard]] std::int64_t bytes() const { return numel(shape) * size_of(dtype); }
  [[nodiscard]] bool written() const {
    return role == TensorRole::kOutput || role == TensorRole::kInPlace;
  }
};

Json to_json(const TensorSpec& spec);
Result<TensorSpec> tensor_spec_from(const Json& json, const std::string& where);

}  // namespace kvgen
