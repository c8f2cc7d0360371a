#pragma once

#include <optional>
#include <vector>

#include "plan/names.h"

namespace kvgen {

// Lets and buffer shapes in an order in which each uses only earlier ones, or
// the cycle that forbids it.
struct NameOrder {
  std::vector<Named> order;
  std::optional<PlanFault> cycle;
};

NameOrder order_of(const Names& names);

}  // namespace kvgen
