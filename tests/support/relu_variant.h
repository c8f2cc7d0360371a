#pragma once

#include <string>

#include "kvgen/model/task.h"

namespace kvgen::testing {

// out = relu(x) in float32.
inline Variant relu_variant(const std::string& name, const Shape& shape) {
  Variant variant;
  variant.name = name;
  variant.graph.inputs.push_back({{0}, {"x", TensorRole::kInput, DType::kFloat32, shape}});
  Node node;
  node.op = "aten::relu";
  node.args = {Argument{ValueId{0}}};
  node.outputs = {ValueId{1}};
  node.metas = {ValueMeta{DType::kFloat32, shape}};
  variant.graph.nodes.push_back(node);
  variant.graph.outputs.push_back({{1}, {"out", TensorRole::kOutput, DType::kFloat32, shape}});
  return variant;
}

}  // namespace kvgen::testing
