#include <algorithm>
#include <cmath>
#include <cstdio>

#include "referee/compare.h"
#include "referee/element.h"

namespace kvgen::referee {
namespace {

// An output seen as rows of its last dimension.
struct View {
  const ExpectedOutput& expected;
  std::vector<double> got;
  std::vector<double> wanted;
  std::vector<std::size_t> wrong;  // flat indices, ascending
  std::size_t columns = 1;

  [[nodiscard]] std::size_t size() const { return got.size(); }
  [[nodiscard]] std::string index(std::size_t flat) const {
    return to_text(index_of(static_cast<std::int64_t>(flat), expected.spec.shape));
  }
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

template <class Test>
bool all_wrong(const View& view, Test test) {
  return std::all_of(view.wrong.begin(), view.wrong.end(), test);
}

bool same_everywhere(const std::vector<double>& values, double value) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == value; });
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-5 * std::max(std::abs(a), std::abs(b));
}

// The output's elements in the order of its last two dimensions swapped.
bool transposed(const View& view) {
  const Shape& shape = view.expected.spec.shape;
  if (shape.size() < 2 || !view.expected.floating()) return false;
  const auto rows = static_cast<std::size_t>(shape[shape.size() - 2]);
  const std::size_t matrix = rows * view.columns;
  if (rows < 2 || view.columns < 2) return false;
  for (std::size_t i = 0; i < view.size(); ++i) {
    const std::size_t base = i / matrix * matrix;
    const std::size_t r = i % matrix / view.columns;
    const std::size_t c = i % view.columns;
    const std::size_t other = base + c * rows + r;
    if (error_ratio(view.expected, i, view.got[other]) > 1) return false;
  }
  return true;
}

std::optional<Pattern> by_value(const View& view) {
  if (same_everywhere(view.got, 0)) return Pattern{"all_zero", "every element is 0"};
  if (view.size() > 1 && same_everywhere(view.got, view.got[0])) {
    return Pattern{"constant", "every element is " + number(view.got[0])};
  }
  if (all_wrong(view, [&](std::size_t i) { return std::isnan(view.got[i]); })) {
    return Pattern{"nan", "they are NaN"};
  }
  if (all_wrong(view, [&](std::size_t i) { return view.got[i] == 0; })) {
    return Pattern{"zero_parts", "they are 0"};
  }
  const std::size_t first = view.wrong.front();
  if (view.wrong.size() > 1) {
    if (all_wrong(view, [&](std::size_t i) { return near(view.got[i], -view.wanted[i]); })) {
      return Pattern{"sign", "they have the wrong sign"};
    }
    const double factor = view.got[first] / view.wanted[first];
    if (std::isfinite(factor) && all_wrong(view, [&](std::size_t i) {
          return near(view.got[i], factor * view.wanted[i]);
        })) {
      return Pattern{"scaled", "they are " + number(factor) + " times what they should be"};
    }
  }
  if (transposed(view)) {
    return Pattern{"transposed", "the last two dimensions are written in swapped order"};
  }
  return std::nullopt;
}

std::optional<Pattern> by_place(const View& view) {
  const std::size_t first = view.wrong.front();
  const std::size_t last = view.wrong.back();
  const std::size_t rows = view.size() / view.columns;
  const auto in_row = [&](std::size_t i) { return i / view.columns == first / view.columns; };
  const auto in_column = [&](std::size_t i) { return i % view.columns == first % view.columns; };
  if (view.wrong.size() == 1) return Pattern{"one_element", "only " + view.index(first)};
  if (rows > 1 && all_wrong(view, in_row)) {
    const bool end = first / view.columns == rows - 1;
    return Pattern{end ? "last_row" : "one_row",
                   "all in the row of " + view.index(first) + (end ? ", the last one" : "")};
  }
  if (view.columns > 1 && all_wrong(view, in_column)) {
    const bool end = first % view.columns == view.columns - 1;
    return Pattern{end ? "last_column" : "one_column", "all in the last dimension's index " +
                                                           std::to_string(first % view.columns) +
                                                           (end ? ", its end" : "")};
  }
  const auto dense = [&](std::size_t begin, std::size_t end) {
    return view.wrong.size() * 10 >= (end - begin) * 9;
  };
  if (view.wrong.size() * 10 >= view.size() * 9) {
    return Pattern{"everywhere", "nearly every element"};
  }
  if (first > 0 && last + 1 == view.size() && dense(first, view.size())) {
    return Pattern{"tail_only", "everything from " + view.index(first) + " to the end"};
  }
  if (first == 0 && dense(0, last + 1)) {
    return Pattern{"head_only", "everything up to " + view.index(last)};
  }
  if (dense(first, last + 1)) {
    return Pattern{"one_block", "everything from " + view.index(first) + " to " + view.index(last)};
  }
  return std::nullopt;
}

}  // namespace

Pattern pattern_of(const ExpectedOutput& expected, std::span<const std::byte> data) {
  View view{expected, numbers(expected.spec.dtype, data), {}, {}};
  if (!expected.spec.shape.empty() && expected.spec.shape.back() > 0) {
    view.columns = static_cast<std::size_t>(expected.spec.shape.back());
  }
  if (expected.floating()) {
    view.wanted = expected.values;
    for (std::size_t i = 0; i < view.size(); ++i) {
      if (error_ratio(expected, i, view.got[i]) > 1) view.wrong.push_back(i);
    }
  } else {
    view.wanted.assign(expected.integers.begin(), expected.integers.end());
    const auto exact = integers(expected.spec.dtype, data);
    for (std::size_t i = 0; i < view.size(); ++i) {
      if (!right_integer(expected, i, exact[i])) view.wrong.push_back(i);
    }
  }
  if (view.wrong.empty()) return {"none", ""};
  if (auto found = by_value(view)) return *found;
  if (auto found = by_place(view)) return *found;
  return {"scattered", "scattered from " + view.index(view.wrong.front()) + " to " +
                           view.index(view.wrong.back())};
}

}  // namespace kvgen::referee
