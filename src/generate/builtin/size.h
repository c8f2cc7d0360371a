#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kvgen::builtin {

// A size as an expression of the plan, with its value in each of the task's
// variants. Two sizes are the same when they agree in every variant.
struct Size {
  enum class Form { kAtom, kProduct, kOther };

  std::string text;
  std::vector<std::int64_t> at;
  Form form = Form::kAtom;

  // Written as the number 1: the dimension exists by the graph's structure only.
  [[nodiscard]] bool is_unit() const { return text == "1"; }
  // 1 in every variant.
  [[nodiscard]] bool all_ones() const;
  // Written as a number.
  [[nodiscard]] bool is_literal() const;
};

using Sizes = std::vector<Size>;

Size number(std::int64_t value, std::size_t variants);
bool same(const Size& a, const Size& b);
bool same(const Sizes& a, const Sizes& b);

Size operator*(const Size& a, const Size& b);
Size operator+(const Size& a, const Size& b);
Size operator-(const Size& a, const Size& b);
Size quotient(const Size& a, const Size& b);  // floor, for positive sizes
Size ceil_div(const Size& a, std::int64_t b);
Size remainder(const Size& a, const Size& b);
Size least(const Size& a, const Size& b);
Size most(const Size& a, const Size& b);
// `text` is an expression with $0, $1 for the sizes; `value` is what it means.
Size derived(const std::string& text, const Sizes& sizes,
             const std::function<std::int64_t(const std::vector<std::int64_t>&)>& value);
Size product(const Sizes& sizes, std::size_t variants);

}  // namespace kvgen::builtin
