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
    const auto size = s.b.expressed((*target)[i]);
    if (!size) return {s.unusual()};
    sizes.push_back(*size);
  }
  return {s.b.broadcast_to(self, sizes)};
}

// Where a slice or selection begins, counted from the end where negative.
std::optional<Size> start_of(Scope& s, const Size& own, std::size_t position, const char* name) {
  if (!s.has(position, name)) return s.b.number(0);
  const auto start = s.b.size_argument(s.call, position, name);
  if (!start) return std::nullopt;
  const auto negative = [](std::int64_t value) { return value < 0; };
  if (std::none_of(start->at.begin(), start->at.end(), negative)) {
    bool beyond = false;
    for (std::size_t v = 0; v < own.at.size(); ++v) beyond = beyond || start->at[v] > own.at[v];
    return beyond ? std::nullopt : start;
  }
  if (!std::all_of(start->at.begin(), start->at.end(), negative)) return std::nullopt;
  for (std::size_t v = 0; v < own.at.size(); ++v) {
    if (start->at[v] < -own.at[v]) return std::nullopt;
  }
  const bool literal = start->text.starts_with("-") || start->is_literal();
  return literal ? own - s.b.number(-start->at[0]) : own + *start;
}

// From start in steps; as many as were recorded.
int sliced(Scope& s, int self, int dim, const Size& start, const Size& step, const Values& length) {
  const Size own = s.b.shape(self)[static_cast<std::size_t>(dim)];
  if (start.text == "0" && step.is_unit() && own.at == length) return self;
  const Size rest = own - start;
  const Size all = step.is_unit() ? rest
                                  : derived("ceil_div($0, $1)", {rest, step},
                                            [](const auto& v) { return (v[0] + v[1] - 1) / v[1]; });
  const auto size = all.at == length ? std::optional<Size>(s.b.named(all)) : s.b.expressed(length);
  if (!size) return s.unusual();
  return s.b.slice(self, dim, start, step, *size);
}

Results slice(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto wanted = s.call.integer(1, "dim", 0);
  const auto shape = s.call.shape();
  if (self < 0 || !wanted || !shape) return {s.unusual()};
  const int dim = s.b.dimension(self, *wanted);
  if (dim < 0) return {-1};
  const auto d = static_cast<std::size_t>(dim);
  const auto start = start_of(s, s.b.shape(self)[d], 2, "start");
  const auto step =
      s.has(4, "step") ? s.b.size_argument(s.call, 4, "step") : std::optional<Size>(s.b.number(1));
  if (!start || !step) return {s.unusual()};
  return {sliced(s, self, dim, *start, *step, (*shape)[d])};
}

Results select(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto wanted = s.call.integer(1, "dim", 0);
  if (self < 0 || !wanted) return {s.unusual()};
  const int dim = s.b.dimension(self, *wanted);
  if (dim < 0) return {-1};
  const auto start = start_of(s, s.b.shape(self)[static_cast<std::size_t>(dim)], 2, "index");
  if (!start) return {s.unusual()};
  return {s.b.squeeze(s.b.slice(self, dim, *start, s.b.number(1), s.b.number(1)), {dim})};
}

Results narrow(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto wanted = s.call.integer(1, "dim", 0);
  const auto shape = s.call.shape();
  if (self < 0 || !wanted || !shape) return {s.unusual()};
  const int dim = s.b.dimension(self, *wanted);
  if (dim < 0) return {-1};
  const auto d = static_cast<std::size_t>(dim);
  const auto start = start_of(s, s.b.shape(self)[d], 2, "start");
  if (!start) return {s.unusual()};
  return {sliced(s, self, dim, *start, s.b.number(1), (*shape)[d])};
}

// Pieces side by side, as long as they were recorded: equal ones by division.
Results pieces(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto wanted = s.call.integer(2, "dim", 0);
  if (self < 0 || !wanted) return {s.unusual()};
  const int dim = s.b.dimension(self, *wanted);
  if (dim < 0) return {-1};
  const auto d = static_cast<std::size_t>(dim);
  const std::size_t count = s.call.first().outputs.size();
  const Size own = s.b.shape(self)[d];
  std::vector<Values> lengths;
  bool equal = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto shape = s.call.shape(i);
    if (!shape || shape->size() <= d) return {s.unusual()};
    lengths.push_back((*shape)[d]);
    equal = equal && lengths[i] == lengths[0];
  }
  Results results;
  Size start = s.b.number(0);
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<Size> length;
    if (equal) {
      length = quotient(own, s.b.number(static_cast<std::int64_t>(count)));
    } else if (i + 1 == count) {
      length = own - start;
    } else if (s.call.length(1, "split_sizes") == count) {
      length = s.b.size_argument(s.call, 1, "split_sizes", static_cast<int>(i));
    } else if (s.call.short_op() == "chunk") {
      const auto chunks = s.call.integer(1, "chunks", 1);
      if (chunks) length = ceil_div(own, *chunks);
    } else {
      length = s.b.size_argument(s.call, 1, "split_size");
    }
    if (!length || length->at != lengths[i]) return {s.unusual()};
    length = s.b.named(*length);
    results.push_back(s.b.slice(self, dim, start, s.b.number(1), *length));
    start = s.b.named(start + *length);
  }
  return results;
}

Results unbind(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto wanted = s.call.integer(1, "dim", 0);
  if (self < 0 || !wanted) return {s.unusual()};
  const int dim = s.b.dimension(self, *wanted);
  if (dim < 0) return {-1};
  Results results;
  for (std::size_t i = 0; i < s.call.first().outputs.size(); ++i) {
    const Size start = s.b.number(static_cast<std::int64_t>(i));
    results.push_back(
        s.b.squeeze(s.b.slice(self, dim, start, s.b.number(1), s.b.number(1)), {dim}));
  }
  return results;
}

Results movedim(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto from = s.call.integers(1, "source");
  const auto to = s.call.integers(2, "destination");
  if (self < 0 || !from || !to || from->size() != to->size()) return {s.unusual()};
  const std::size_t rank = s.b.shape(self).size();
  std::vector<int> order(rank, -1);
  std::vector<bool> used(rank, false);
  for (std::size_t i = 0; i < from->size(); ++i) {
    const int a = s.b.dimension(self, (*from)[i]);
    const int b = s.b.dimension(self, (*to)[i]);
    if (a < 0 || b < 0) return {-1};
    order[static_cast<std::size_t>(b)] = a;
    used[static_cast<std::size_t>(a)] = true;
  }
  std::size_t next = 0;
  for (int& place : order) {
    if (place >= 0) continue;
    while (used[next]) ++next;
    place = static_cast<int>(next++);
  }
  return {s.b.permute(self, order)};
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
      {"split_with_sizes", pieces},
      {"unsafe_chunk", pieces},
      {"unsafe_split", pieces},
      {"unbind", unbind},
      {"movedim", movedim},
      {"moveaxis", movedim},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
