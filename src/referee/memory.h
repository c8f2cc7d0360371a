#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace kvgen::referee {

// Thrown through libtorch when a tensor would not fit the budget.
class BudgetExceeded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Makes libtorch's CPU allocations of this process refuse, before they happen,
// what would take the total above `bytes`. Bundles are untrusted: a shape is only
// known to be too large when an operator asks for it. May be called again.
void limit_tensor_memory(std::int64_t bytes);

// Bytes that libtorch holds now.
std::int64_t tensor_memory_in_use();

}  // namespace kvgen::referee
