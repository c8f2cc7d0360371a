#pragma once

#include <array>
#include <string_view>

#include "kvgen/plan/expression.h"

namespace kvgen {

// The words of the plan language: functions and operators with their spelling.

struct FunctionRow {
  PlanFunction function;
  std::string_view name;
  int least;  // arguments
  int most;
};
// nullptr: no such function.
const FunctionRow* function_row(std::string_view name);

struct OperatorRow {
  PlanOperator op;
  std::string_view text;
  int binds;  // higher binds tighter, 1 to 10 for operators of two operands
};
// The operator of two operands with this spelling; nullptr: none.
const OperatorRow* binary_operator(std::string_view text);

// Canonical text: single spaces round operators, only the parentheses needed.
std::string canonical_text(const std::vector<Expression::Node>& nodes, int root);

}  // namespace kvgen
