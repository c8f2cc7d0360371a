#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kvgen/base/json.h"
#include "referee/expected.h"
#include "referee/poison.h"

namespace kvgen::referee {

// One output compared element by element.
struct Comparison {
  std::int64_t of = 0;
  std::int64_t wrong = 0;
  std::int64_t unwritten = 0;       // of the wrong ones: still the poison
  std::vector<std::int64_t> first;  // flat indices of the first wrong ones
  std::vector<std::int64_t> first_unwritten;
  double worst_ratio = 0;  // |error| / limit; 1e300 where a limit cannot say
  double median_ratio = 0;
  double max_abs_error = 0;
  bool allclose_1e2 = true;
  bool allclose_1e4 = true;
};

Comparison compare(const ExpectedOutput& expected, std::span<const std::byte> data,
                   const Poison& poison);

// How the wrong elements lie, for people and models.
struct Pattern {
  std::string name;     // "tail_only", "transposed", ...
  std::string meaning;  // "every element from [255, 0] on is wrong"
};
Pattern pattern_of(const ExpectedOutput& expected, std::span<const std::byte> data);

// Elements as numbers.
std::vector<double> numbers(DType dtype, std::span<const std::byte> data);

Shape index_of(std::int64_t flat, const Shape& shape);

}  // namespace kvgen::referee
