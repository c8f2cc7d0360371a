#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kvgen/model/tensor.h"

namespace kvgen::referee {

// Where an index output (argmax, topk, sort) chose from: a tensor seen as
// [outer, extent, inner], with its own limits.
struct Choice {
  std::int64_t outer = 1;
  std::int64_t extent = 1;
  std::int64_t inner = 1;
  std::vector<double> values;
  std::vector<float> limits;
};

// What an output must be. Elements in row-major order.
struct ExpectedOutput {
  TensorSpec spec;
  bool exact = false;  // made by copies and choices alone: equal values only

  // Floating outputs.
  std::vector<double> values;  // the float64 result
  std::vector<float> limits;   // how far from it is still right
  std::vector<float> eager;    // libtorch's own result in the recorded type

  // Integer and boolean outputs.
  std::vector<std::int64_t> integers;
  std::vector<std::vector<std::int64_t>> alternatives;  // results of moved runs that differ
  std::optional<Choice> choice;

  [[nodiscard]] bool floating() const { return is_floating(spec.dtype); }
};

}  // namespace kvgen::referee
