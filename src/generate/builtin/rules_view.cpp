#include <algorithm>
#include <string>

#include "generate/builtin/lower.h"

namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;
using Values = std::vector<std::int64_t>;  // one a variant

Values times(Values a, const Values& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] *= b[i];
  return a;
}

// Expressions for one stretch of a reshape that starts and ends at boundaries
// which both shapes share.
bool name_stretch(Scope& s, const Sizes& from, const std::vector<Values>& to, Sizes& result) {
  if (to.size() == 1) {
    result.push_back(product(from, s.b.variants()));
    return true;
  }
  std::vector<std::optional<Size>> sizes;
  std::size_t next = 0;
  int unnamed = 0;
  for (const Values& at : to) {
    const auto found = std::find_if(from.begin() + static_cast<std::ptrdiff_t>(next), from.end(),
                                    [&](const Size& size) { return size.at == at; });
    if (found != from.end()) {
      sizes.emplace_back(*found);
      next = static_cast<std::size_t>(found - from.begin()) + 1;
    } else {
      sizes.push_back(s.b.known(at));
    }
    unnamed += sizes.back() ? 0 : 1;
  }
  if (unnamed > 1) return false;
  Size others = s.b.number(1);
  for (const auto& size : sizes) {
    if (size) others = others * *size;
  }
  for (auto& size : sizes) {
    if (!size) size = quotient(product(from, s.b.variants()), others);
    result.push_back(*size);
  }
  return true;
}

int reshape_as_recorded(Scope& s, int self) {
  const auto target = s.call.shape();
  if (self < 0 || !target) return s.unusual();
  const Sizes from = s.b.shape(self);
  const Values ones(s.b.variants(), 1);
  Sizes result;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size() || j < target->size()) {
    Sizes in_part;
    std::vector<Values> out_part;
    Values in_product = ones;
    Values out_product = ones;
    const auto take_in = [&] {
      in_product = times(in_product, from[i].at);
      in_part.push_back(from[i++]);
    };
    const auto take_out = [&] {
      out_product = times(out_product, (*target)[j]);
      out_part.push_back((*target)[j++]);
    };
    if (i < from.size()) take_in();
    if (j < target->size()) take_out();
    while (in_product != out_product && (i < from.size() || j < target->size())) {
      const bool need_in = in_product[0] < out_product[0] && i < from.size();
      need_in || j == target->size() ? take_in() : take_out();
    }
    if (in_product != out_product) return s.unusual();
    if (!out_part.empty() && !name_stretch(s, in_part, out_part, result)) return s.unusual();
  }
  return s.b.reshape(self, result);
}

Results view(Scope& s) { return {reshape_as_recorded(s, s.tensor(0, "self"))}; }

Results transposed(Scope& s, std::int64_t first, std::int64_t second) {
  const int self = s.tensor(0, "self");
  if (self < 0) return {-1};
  const auto rank = static_cast<int>(s.b.shape(self).size());
  std::vector<int> order(static_cast<std::size_t>(rank));
  for (int i = 0; i < rank; ++i) order[static_cast<std::size_t>(i)] = i;
  if (rank > 0) {
    const int a = s.b.dimension(self, first);
    const int b = s.b.dimension(self, second);
    if (a < 0 || b < 0) return {-1};
    std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
  }
  return {s.b.permute(self, order)};
}

Results transpose(Scope& s) {
  const auto first = s.call.integer(1, "dim0", 0);
  const auto second = s.call.integer(2, "dim1", 0);
  if (!first || !second) return {s.unusual()};
  return transposed(s, *first, *second);
}

Results t(Scope& s) {
  const int self = s.tensor(0, "self");
  if (self >= 0 && s.b.shape(self).size() < 2) return {self};
  return transposed(s, 0, 1);
}

Results reversed(Scope& s) {
  const int self = s.tensor(0, "self");
  if (self < 0) return {-1};
  std::vector<int> order;
  for (auto i = static_cast<int>(s.b.shape(self).size()); i-- > 0;) order.push_back(i);
  return {s.b.permute(self, order)};
}

Results permute(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto dims = s.call.integers(1, "dims");
  if (self < 0 || !dims || dims->size() != s.b.shape(self).size()) return {s.unusual()};
  std::vector<int> order;
  for (const std::int64_t dim : *dims) order.push_back(s.b.dimension(self, dim));
  return {s.b.declined() ? -1 : s.b.permute(self, order)};
}

// Sizes that the input has keep its expressions; new ones must be known.
Results expand(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto target = s.call.shape();
  if (self < 0 || !target) return {s.unusual()};
  const Sizes& own = s.b.shape(self);
  if (own.size() > target->size()) return {s.unusual()};
  Sizes sizes;
  for (std::size_t i = 0; i < target->size(); ++i) {
    const std::size_t added = target->size() - own.size();
    if (i >= added && own[i - added].at == (*target)[i]) {
      sizes.push_back(own[i - added]);
      continue;
    }
    const auto size = s.b.known((*target)[i]);
    if (!size) return {s.unusual()};
    sizes.push_back(*size);
  }
  return {s.b.broadcast_to(self, sizes)};
}

Results sliced(Scope& s, int self, std::int64_t wanted, std::int64_t start, std::int64_t step,
               const Values& length) {
  const int dim = s.b.dimension(self, wanted);
  if (dim < 0) return {-1};
  const Size& own = s.b.shape(self)[static_cast<std::size_t>(dim)];
  if (start == 0 && step == 1 && own.at == length) return {self};
  if (start < 0 || step < 1) return {s.unusual()};
  const auto size = s.b.known(length);
  if (!size) return {s.unusual()};
  return {s.b.slice(self, dim, s.b.number(start), s.b.number(step), *size)};
}

Results slice(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto dim = s.call.integer(1, "dim", 0);
  const auto start = s.call.integer(2, "start", 0);
  const auto step = s.call.integer(4, "step", 1);
  const auto shape = s.call.shape();
  if (self < 0 || !dim || !start || !step || !shape) return {s.unusual()};
  const int real = s.b.dimension(self, *dim);
  if (real < 0) return {-1};
  return sliced(s, self, real, *start, *step, (*shape)[static_cast<std::size_t>(real)]);
}

Results select(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto wanted = s.call.integer(1, "dim", 0);
  const auto index = s.call.integer(2, "index", 0);
  if (self < 0 || !wanted || !index) return {s.unusual()};
  const int dim = s.b.dimension(self, *wanted);
  if (dim < 0) return {-1};
  const Size own = s.b.shape(self)[static_cast<std::size_t>(dim)];
  const Size start = *index < 0 ? own - s.b.number(-*index) : s.b.number(*index);
  const int one = s.b.slice(self, dim, start, s.b.number(1), s.b.number(1));
  return {s.b.squeeze(one, {dim})};
}

Results narrow(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto dim = s.call.integer(1, "dim", 0);
  const auto start = s.call.integer(2, "start", 0);
  const auto shape = s.call.shape();
  if (self < 0 || !dim || !start || !shape) return {s.unusual()};
  const int real = s.b.dimension(self, *dim);
  if (real < 0) return {-1};
  return sliced(s, self, real, *start, 1, (*shape)[static_cast<std::size_t>(real)]);
}

// Equal pieces; a last, shorter one is declined by the check of shapes.
Results pieces(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto wanted = s.call.integer(2, "dim", 0);
  if (self < 0 || !wanted) return {s.unusual()};
  const int dim = s.b.dimension(self, *wanted);
  if (dim < 0) return {-1};
  const std::size_t count = s.call.first().outputs.size();
  const Size own = s.b.shape(self)[static_cast<std::size_t>(dim)];
  const Size length = quotient(own, s.b.number(static_cast<std::int64_t>(count)));
  Results results;
  for (std::size_t i = 0; i < count; ++i) {
    const Size start = i == 0 ? s.b.number(0) : length * s.b.number(static_cast<std::int64_t>(i));
    results.push_back(s.b.slice(self, dim, start, s.b.number(1), length));
  }
  for (std::size_t v = 0; v < s.b.variants(); ++v) {
    if (own.at[v] % static_cast<std::int64_t>(count) != 0) return {s.unusual()};
  }
  return results;
}

}  // namespace

void add_view_rules(Rules& rules) {
  const Rules more = {
      {"view", view},
      {"reshape", view},
      {"_unsafe_view", view},
      {"flatten", view},
      {"unflatten", view},
      {"squeeze", view},
      {"unsqueeze", view},
      {"view_as", view},
      {"reshape_as", view},
      {"permute", permute},
      {"transpose", transpose},
      {"swapaxes", transpose},
      {"t", t},
      {"numpy_T", reversed},
      {"T", reversed},
      {"mT", [](Scope& s) { return transposed(s, -2, -1); }},
      {"expand", expand},
      {"expand_as", expand},
      {"broadcast_to", expand},
      {"slice", slice},
      {"select", select},
      {"narrow", narrow},
      {"split", pieces},
      {"chunk", pieces},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
