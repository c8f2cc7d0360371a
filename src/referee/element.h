#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "referee/expected.h"

namespace kvgen::referee {

// |got - expected| / limit: at most 1 is right. NaN and infinities must be where
// the float64 result or libtorch's own result (which may overflow) has them;
// otherwise the ratio is infinite.
double error_ratio(const ExpectedOutput& expected, std::size_t element, double got);

// Equal, or what a result moved within rounding gave, or an index whose value
// ties with the expected one's within the limit.
bool right_integer(const ExpectedOutput& expected, std::size_t element, std::int64_t got);

std::vector<std::int64_t> integers(DType dtype, std::span<const std::byte> data);

}  // namespace kvgen::referee
