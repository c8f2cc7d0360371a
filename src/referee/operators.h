#pragma once

#include <optional>
#include <string_view>

namespace kvgen::referee {

// What an ATen operator does to rounding, by its name without the overload.
enum class Rounding {
  kExact,      // copies, views, choices, comparisons: no rounding of its own
  kPointwise,  // each element is rounded a few times
  kFunction,   // as kPointwise, by a function whose libraries err by several ulp
  kSum,        // each element is a sum of products; terms by absolute values
  kProduct,    // each element is a product of many factors
  kRandom,     // draws from the generator
};

// The row of the allow-list for "aten::softmax"; nullopt: a bundle may not call it.
// Operators that torch splits into others, or that the referee re-expresses
// (referee/lowering.h), are listed as kPointwise: what they split into decides.
std::optional<Rounding> allowed(std::string_view op);

// The same for a call inside a composite operator; what is not listed counts as
// kPointwise.
Rounding rounding_of(std::string_view op);

// Allocates without writing: the executor zeroes the result.
bool leaves_memory_unwritten(std::string_view op);

}  // namespace kvgen::referee
