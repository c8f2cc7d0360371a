#pragma once

#include <cstddef>
#include <vector>

#include "cpu/runtime/memory.h"
#include "kvgen/base/result.h"

namespace kvgen {

// Stacks of one OS thread's fibers, each above a page without access. Memory is
// taken when a stack is first used.
class Stacks {
 public:
  static constexpr std::size_t kBytes = 128 << 10;
  static constexpr std::size_t kPitch = kBytes + kPageBytes;

  static Result<Stacks> reserve(unsigned count);

  // Highest usable address of stack `index`, opening it; null when there is no
  // memory. Tops are staggered: tops equal modulo 4096 share the same few cache sets,
  // which costs 4 to 8 times as much a switch.
  char* top(unsigned index);

  // Whether the address is in the stacks' range; only guards fault there.
  [[nodiscard]] bool holds(const void* address) const { return memory_.holds(address); }

 private:
  Mapping memory_;
  unsigned opened_ = 0;
};

}  // namespace kvgen
