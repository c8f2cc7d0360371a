#pragma once

#include <cstdint>
#include <string>

#include "kvgen/plan/expression.h"

namespace kvgen {

// An integer result, or why there is none ("overflow", "division by zero").
struct IntegerResult {
  std::int64_t value = 0;
  std::string problem;
};

// int64 arithmetic: `/` and `%` are floor, overflow is an error. `right` is
// unused by unary operators.
IntegerResult integer_operation(PlanOperator op, std::int64_t left, std::int64_t right);
// The integer functions of one or two arguments, min and max of two.
IntegerResult integer_function(PlanFunction function, std::int64_t left, std::int64_t right);

}  // namespace kvgen
