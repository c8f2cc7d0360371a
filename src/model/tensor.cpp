#include "kvgen/model/tensor.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kvgen {
namespace {

constexpr std::int64_t kLargestExtent = 1LL << 40;

constexpr std::array<std::pair<TensorRole, std::string_view>, 6> kRoles = {{
    {TensorRole::kInput, "input"},
    {TensorRole::kParameter, "parameter"},
    {TensorRole::kBuffer, "buffer"},
    {TensorRole::kConstant, "constant"},
    {TensorRole::kOutput, "output"},
    {TensorRole::kInPlace, "in_place"},
}};

}  // namespace

std::int64_t numel(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

Shape contiguous_strides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::string to_text(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

std::string_view to_string(TensorRole role) {
  for (const auto& [value, name] : kRoles) {
    if (value == role) return name;
  }
  return "input";
}

Json to_json(const TensorSpec& spec) {
  return {{"name", spec.name},
          {"role", to_string(spec.role)},
          {"dtype", to_string(spec.dtype)},
          {"shape", spec.shape}};
}

Result<TensorSpec> tensor_spec_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  TensorSpec spec;
  spec.name = fields.get<std::string>("name");
  const auto role = fields.get<std::string>("role");
  const auto dtype = fields.get<std::string>("dtype");
  spec.shape = fields.get<Shape>("shape");
  TRY_VOID(fields.finish());

  bool known_role = false;
  for (const auto& [value, name] : kRoles) {
    if (name != role) continue;
    spec.role = value;
    known_role = true;
  }
  if (!known_role) fields.fail("role", "is unknown: " + role);
  const auto parsed = dtype_from(dtype);
  if (parsed) spec.dtype = *parsed;
  if (!parsed) fields.fail("dtype", "is unknown: " + dtype);
  // An extent of zero counts as one: the strides of what follows it must fit too.
  std::int64_t count = 1;
  for (const std::int64_t extent : spec.shape) {
    const std::int64_t factor = std::max<std::int64_t>(extent, 1);
    const bool absurd = extent < 0 || count > kLargestExtent / factor;
    count *= absurd ? 1 : factor;
    if (absurd) {
      fields.fail("shape", "is negative or too large");
      break;
    }
  }
  TRY_VOID(fields.finish());
  return spec;
}

}  // namespace kvgen
