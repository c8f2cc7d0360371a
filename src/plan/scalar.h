#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kvgen/model/build.h"
#include "kvgen/model/dtype.h"
#include "kvgen/plan/plan.h"
#include "kvgen/plan/resolved.h"
#include "plan/evaluate.h"

namespace kvgen {

// The bits of a value in a format, low end first, or why it has none.
struct Encoded {
  std::uint64_t bits = 0;
  std::string problem;
};

// Rounds once, to nearest even. Infinity where the format has one; a finite
// value beyond the format is a problem.
Encoded encode_real(double value, DType format);
// The exact value of those bits, where they are finite.
double decode_real(std::uint64_t bits, DType format);
// Exactly, or a problem ("300 does not fit int8").
Encoded encode_integer(std::int64_t value, DType format);

// A scalar argument as a parameter takes it.
Encoded encode_scalar(const PlanNumber& value, std::optional<ScalarKind> kind,
                      const KernelParameter& parameter);

// The dtype with a scalar kind's or parameter's representation.
DType dtype_of(ScalarKind kind);
std::optional<DType> dtype_of(const KernelParameter& parameter);

}  // namespace kvgen
