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

bool Size::is_literal() const {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
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
  if (a.is_literal() && b.is_literal()) return number(a.at[0] * b.at[0], a.at.size());
  return {wrapped(a, true) + " * " + wrapped(b, true), each(a, b, std::multiplies<>()),
          Size::Form::kProduct};
}

Size operator+(const Size& a, const Size& b) {
  if (a.text == "0") return b;
  if (b.text == "0") return a;
  if (a.is_literal() && b.is_literal()) return number(a.at[0] + b.at[0], a.at.size());
  return {wrapped(a, true) + " + " + wrapped(b, true), each(a, b, std::plus<>()),
          Size::Form::kOther};
}

Size operator-(const Size& a, const Size& b) {
  if (b.text == "0") return a;
  if (a.is_literal() && b.is_literal()) return number(a.at[0] - b.at[0], a.at.size());
  return {wrapped(a, true) + " - " + wrapped(b, true), each(a, b, std::minus<>()),
          Size::Form::kOther};
}

Size quotient(const Size& a, const Size& b) {
  if (b.is_unit()) return a;
  if (a.is_literal() && b.is_literal() && b.at[0] != 0) {
    return number(a.at[0] / b.at[0], a.at.size());
  }
  const auto divide = [](std::int64_t x, std::int64_t y) { return y == 0 ? 0 : x / y; };
  return {wrapped(a, false) + " / " + wrapped(b, false), each(a, b, divide), Size::Form::kOther};
}

Size ceil_div(const Size& a, std::int64_t b) {
  Size result{"ceil_div(" + a.text + ", " + std::to_string(b) + ")", {}, Size::Form::kAtom};
  for (const std::int64_t value : a.at) result.at.push_back((value + b - 1) / b);
  return result;
}

Size remainder(const Size& a, const Size& b) {
  if (b.is_unit()) return number(0, a.at.size());
  const auto rest = [](const std::vector<std::int64_t>& v) { return v[1] == 0 ? 0 : v[0] % v[1]; };
  return derived("$0 % $1", {a, b}, rest);
}

Size least(const Size& a, const Size& b) {
  if (a.text == b.text) return a;
  return derived("min($0, $1)", {a, b}, [](const auto& v) { return std::min(v[0], v[1]); });
}

Size most(const Size& a, const Size& b) {
  if (a.text == b.text) return a;
  return derived("max($0, $1)", {a, b}, [](const auto& v) { return std::max(v[0], v[1]); });
}

Size derived(const std::string& text, const Sizes& sizes,
             const std::function<std::int64_t(const std::vector<std::int64_t>&)>& value) {
  Size result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$') {
      result.text += wrapped(sizes[static_cast<std::size_t>(text[++i] - '0')], false);
    } else {
      result.text += text[i];
    }
  }
  bool literal = true;
  for (const Size& size : sizes) literal = literal && size.is_literal();
  for (std::size_t v = 0; v < sizes[0].at.size(); ++v) {
    std::vector<std::int64_t> values;
    for (const Size& size : sizes) values.push_back(size.at[v]);
    result.at.push_back(value(values));
  }
  if (literal) return number(result.at[0], result.at.size());
  result.form = Size::Form::kOther;
  return result;
}

Size product(const Sizes& sizes, std::size_t variants) {
  Size result = number(1, variants);
  for (const Size& size : sizes) result = result * size;
  return result;
}

}  // namespace kvgen::builtin
