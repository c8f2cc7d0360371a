#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kvgen/model/graph.h"
#include "referee/expected.h"

namespace kvgen::referee {

// An output that holds indices into another value of the graph.
struct ChoiceSource {
  std::size_t output = 0;  // index in graph.outputs
  ValueId from;
  std::optional<std::int64_t> dim;  // nullopt: the whole tensor, flattened
  bool first = false;               // of equal values the first, as torch documents it
};

// Outputs made by argmax, argmin, max, min, topk, sort and argsort.
std::vector<ChoiceSource> find_choices(const Graph& graph);

// [outer, extent, inner] of a choice over `shape`; values and limits left empty.
Choice shape_of(const ChoiceSource& source, const Shape& shape);

}  // namespace kvgen::referee
