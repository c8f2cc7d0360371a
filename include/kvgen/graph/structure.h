#pragma once

#include <string>

#include "kvgen/model/graph.h"

namespace kvgen {

// SHA-256 of what a graph does, sizes and names apart: operators, how they are
// wired, ranks, element types and scalars. Two modules that differ only in
// shapes or names have the same.
std::string structural_hash(const Graph& graph);

}  // namespace kvgen
