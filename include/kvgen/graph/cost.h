#pragma once

#include <cstdint>

#include "kvgen/model/graph.h"

namespace kvgen {

// What running a graph takes at least.
struct GraphCost {
  double flops = 0;                // a multiply-add is two; an elementwise result one
  std::int64_t minimal_bytes = 0;  // every used input read once, every output written once
  std::int64_t elements = 0;       // of inputs, weights and all results
};

GraphCost cost_of(const Graph& graph);

}  // namespace kvgen
