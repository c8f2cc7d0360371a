#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kvgen {

enum class PlanOperator {
  kConditional,
  kOr,
  kAnd,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kShiftLeft,
  kShiftRight,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kNot,
  kComplement,
  kNegate,
};

enum class PlanFunction {
  kMin,
  kMax,
  kAbs,
  kCeilDiv,
  kFloorDiv,
  kRoundUp,
  kLog2Ceil,
  kLog2Floor,
  kNextPow2,
  kDim,
  kNumel,
  kStride,
  kSqrt,
  kRsqrt,
  kExp,
  kLog,
  kPow,
};

// A parsed expression of the plan language: C's operators and precedence over
// names, integers, fractions and the functions above.
struct Expression {
  struct Name {
    std::string text;
  };
  struct Node {
    std::variant<std::int64_t, double, Name, PlanOperator, PlanFunction> what;
    std::vector<int> operands;  // earlier nodes
    int depth = 1;              // of the tree below
  };

  std::vector<Node> nodes;  // operands before their operation; the last is the root
  std::string text;         // the canonical spelling

  [[nodiscard]] int root() const { return static_cast<int>(nodes.size()) - 1; }
  // The name that is the whole expression, or "".
  [[nodiscard]] std::string_view lone_name() const;
};

struct ExpressionParse {
  Expression expression;  // when problem is ""
  std::string problem;    // says what stands where
  std::string suggestion;
  std::vector<std::string> remarks;  // "x.size(1) read as dim(x, 1)"
};

// At most 4,096 characters, 1,024 nodes and 200 levels.
ExpressionParse parse_expression(std::string_view text);

Expression literal(std::int64_t value);
Expression literal(double value);

// Functions whose result is a fraction: sqrt, rsqrt, exp, log, pow.
bool gives_fraction(PlanFunction function);
// dim, numel, stride: the first operand is a tensor's name.
bool takes_tensor(PlanFunction function);
std::string_view to_string(PlanFunction function);
// Every function's name.
std::vector<std::string> function_names();

bool is_plan_name(std::string_view text);

}  // namespace kvgen
