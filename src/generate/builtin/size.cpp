#include "generate/builtin/size.h"

#include <algorithm>
#include <functional>

namespace kvgen::builtin {
namespace {

std::string wrapped(const Size& size, bool keep_products) {
  const bool bare =
      size.form == Size::Form::kAtom || (keep_products && size.form == Size::Form::kProduct);
  return bare ? size.text : "(" + size.text + ")";
}

template <class Op>
std::vector<std::int64_t> each(const Size& a, const Size& b, Op op) {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < a.at.size(); ++i) values.push_back(op(a.at[i], b.at[i]));
  return values;
}

}  // namespace

bool Size::all_ones() const {
  return std::all_of(at.begin(), at.end(), [](std::int64_t v) { return v == 1; });
}

Size number(std::int64_t value, std::size_t variants) {
  return {std::to_string(value), std::vector<std::int64_t>(variants, value),
          value < 0 ? Size::Form::kOther : Size::Form::kAtom};
}

bool same(const Size& a, const Size& b) { return a.at == b.at; }

bool same(const Sizes& a, const Sizes& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Size& x, const Size& y) { return same(x, y); });
}

Size operator*(const Size& a, const Size& b) {
  if (a.is_unit()) return b;
  if (b.is_unit()) return a;
  return {wrapped(a, true) + " * " + wrapped(b, true), each(a, b, std::multiplies<>()),
          Size::Form::kProduct};
}

Size operator+(const Size& a, const Size& b) {
  return {wrapped(a, true) + " + " + wrapped(b, true), each(a, b, std::plus<>()),
          Size::Form::kOther};
}

Size operator-(const Size& a, const Size& b) {
  return {wrapped(a, true) + " - " + wrapped(b, true), each(a, b, std::minus<>()),
          Size::Form::kOther};
}

Size quotient(const Size& a, const Size& b) {
  if (b.is_unit()) return a;
  const auto divide = [](std::int64_t x, std::int64_t y) { return y == 0 ? 0 : x / y; };
  return {wrapped(a, false) + " / " + wrapped(b, false), each(a, b, divide), Size::Form::kOther};
}

Size ceil_div(const Size& a, std::int64_t b) {
  Size result{"ceil_div(" + a.text + ", " + std::to_string(b) + ")", {}, Size::Form::kAtom};
  for (const std::int64_t value : a.at) result.at.push_back((value + b - 1) / b);
  return result;
}

Size product(const Sizes& sizes, std::size_t variants) {
  Size result = number(1, variants);
  for (const Size& size : sizes) result = result * size;
  return result;
}

}  // namespace kvgen::builtin
