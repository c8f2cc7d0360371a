#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/model/dtype.h"
#include "kvgen/plan/checked.h"
#include "kvgen/plan/expression.h"

namespace kvgen {

struct PlanLimits {
  static constexpr std::size_t kTextBytes = 1 << 20;
  static constexpr int kNames = 256;        // let, buffers and `as` together
  static constexpr int kSteps = 1024;       // as written
  static constexpr int kLaunches = 65'536;  // launches, fills and copies after expansion
  static constexpr int kRepeatDepth = 2;
  static constexpr int kArguments = 64;
  static constexpr int kPicks = 64;
  static constexpr int kDimensions = 16;  // of a buffer
  static constexpr std::size_t kKernelName = 512;
};

// A tensor by name, from an offset in elements when it is an `at`.
struct PlanPlace {
  std::string tensor;
  std::optional<Expression> offset;
};

// One of several places, by number.
struct PlanPick {
  Expression pick;
  std::vector<PlanPlace> of;
};

enum class ScalarKind { kBool, kI32, kU32, kI64, kU64, kF16, kBF16, kF32, kF64 };
std::string_view to_string(ScalarKind kind);
bool is_floating(ScalarKind kind);

struct PlanScalar {
  std::optional<ScalarKind> kind;  // none: taken from the signature
  Expression value;
};

// A bare text that is one name is a PlanScalar until the task's names are known.
using PlanArgument = std::variant<PlanPlace, PlanPick, PlanScalar>;

struct PlanStep;

struct PlanLaunch {
  std::string kernel;             // a C++ name expression
  std::vector<Expression> grid;   // 1 to 3
  std::vector<Expression> block;  // 1 to 3
  std::optional<Expression> shared;
  std::vector<PlanArgument> arguments;
};

struct PlanFill {
  PlanPlace to;
  std::variant<Expression, double> value;  // double: infinity of either sign
};

struct PlanCopy {
  PlanPlace from;
  PlanPlace to;
  std::optional<Expression> count;  // in elements; where one is an `at`
};

struct PlanRepeat {
  Expression count;
  std::string as;  // "" when not named
  std::vector<PlanStep> steps;
};

struct PlanStep {
  std::variant<PlanLaunch, PlanFill, PlanCopy, PlanRepeat> what;
  std::optional<Expression> when;
  std::string place;  // "run[2].do[0]"
};

struct PlanBuffer {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<Expression> shape;
  bool keep = false;
};

struct PlanLet {
  std::string name;
  Expression value;
};

// A launch plan as written: every rule that needs neither the task nor the
// kernels holds.
struct Plan {
  std::vector<PlanLet> lets;
  std::vector<PlanBuffer> buffers;
  std::vector<PlanStep> prepare;
  std::vector<PlanStep> run;
  Json normalised;                   // the same plan in canonical spelling
  std::vector<std::string> remarks;  // what was normalised, with its place
};

// Reads untrusted text; the outcome is bad_plan.
Checked<Plan> parse_plan(std::string_view text);

// The kernels' name expressions, each once, in order of appearance; those whose
// `when` may be zero too.
std::vector<std::string> kernels_of(const Plan& plan);

}  // namespace kvgen
