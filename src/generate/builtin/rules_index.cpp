#include <algorithm>
#include <string>

#include "generate/builtin/lower.h"

// Operators that only move elements, each as a map of indices.
namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

std::optional<int> dim_of(Scope& s, int id, std::size_t position, std::int64_t fallback) {
  const auto wanted = s.call.integer(position, "dim", fallback);
  if (id < 0 || !wanted) return std::nullopt;
  const int dim = s.b.dimension(id, *wanted);
  if (dim < 0) return std::nullopt;
  return dim;
}

// All dimensions of a tensor as they are.
std::vector<IndexFormula> as_is(std::size_t rank) {
  std::vector<IndexFormula> maps;
  for (std::size_t d = 0; d < rank; ++d) maps.push_back({"$0", {static_cast<int>(d)}, {}, -1});
  return maps;
}

Results cat(Scope& s) {
  std::vector<int> parts;
  for (const int part : s.tensors(0, "tensors")) {
    if (part < 0) return {-1};
    parts.push_back(s.b.cast(part, s.result_dtype()));
  }
  if (parts.empty()) return {s.unusual()};
  const auto dim = dim_of(s, parts[0], 1, 0);
  if (!dim) return {s.unusual()};
  const std::size_t rank = s.b.shape(parts[0]).size();
  for (const int part : parts) {
    if (s.b.shape(part).size() != rank) return {s.unusual()};
  }
  return {s.b.cat(parts, *dim)};
}

Results stack(Scope& s) {
  std::vector<int> parts;
  const auto wanted = s.call.integer(1, "dim", 0);
  for (int part : s.tensors(0, "tensors")) {
    if (part < 0 || !wanted) return {s.unusual()};
    Sizes sizes = s.b.shape(part);
    const auto rank = static_cast<std::int64_t>(sizes.size()) + 1;
    const std::int64_t dim = *wanted < 0 ? *wanted + rank : *wanted;
    if (dim < 0 || dim >= rank) return {s.unusual()};
    sizes.insert(sizes.begin() + dim, s.b.number(1));
    parts.push_back(s.b.reshape(s.b.cast(part, s.result_dtype()), sizes));
  }
  if (parts.empty() || s.b.declined()) return {s.unusual()};
  return {s.b.cat(parts, s.b.dimension(parts[0], *wanted))};
}

struct Padding {
  Sizes before, after;
};

// Pairs from the last dimension on.
std::optional<Padding> padding(Scope& s, int self, std::size_t position, const char* name) {
  const std::size_t count = s.call.length(position, name);
  if (self < 0) return std::nullopt;
  const std::size_t rank = s.b.shape(self).size();
  if (count == 0 || count % 2 != 0 || count / 2 > rank) return std::nullopt;
  Padding p{Sizes(rank, s.b.number(0)), Sizes(rank, s.b.number(0))};
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = s.b.size_argument(s.call, position, name, static_cast<int>(i));
    if (!size) return std::nullopt;
    (i % 2 == 0 ? p.before : p.after)[rank - 1 - i / 2] = *size;
  }
  return p;
}

constexpr const char* kReflected =
    "($0 < #0 ? #0 - $0 : $0 - #0 >= #1 ? 2 * (#1 - 1) - ($0 - #0) : $0 - #0)";
constexpr const char* kReplicated = "($0 < #0 ? 0 : $0 - #0 >= #1 ? #1 - 1 : $0 - #0)";
constexpr const char* kCircular = "(($0 - #0 + #1) % #1)";

int padded_by(Scope& s, int self, const Padding& p, const char* where) {
  if (self < 0) return -1;
  Sizes shape = s.b.shape(self);
  std::vector<IndexFormula> maps = as_is(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (p.before[d].text == "0" && p.after[d].text == "0") continue;
    maps[d] = {where, {static_cast<int>(d)}, {p.before[d], shape[d]}, -1};
    shape[d] = s.b.named(p.before[d] + shape[d] + p.after[d]);
  }
  return s.b.map(self, std::move(shape), std::move(maps));
}

Results constant_pad(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto p = padding(s, self, 1, "pad");
  if (!p) return {s.unusual()};
  return {s.b.pad(self, p->before, p->after, s.b.scalar(s.call, 2, "value", 0))};
}

Results moved_pad(Scope& s, const char* where) {
  const int self = s.tensor(0, "self");
  const auto p = padding(s, self, 1, "padding");
  if (!p) return {s.unusual()};
  return {padded_by(s, self, *p, where)};
}

Results pad(Scope& s) {
  const auto mode = s.call.text(2, "mode", "constant");
  const int self = s.tensor(0, "self");
  const auto p = padding(s, self, 1, "pad");
  if (!p || !mode) return {s.unusual()};
  if (*mode == "reflect") return {padded_by(s, self, *p, kReflected)};
  if (*mode == "replicate") return {padded_by(s, self, *p, kReplicated)};
  if (*mode == "circular") return {padded_by(s, self, *p, kCircular)};
  if (*mode != "constant") return {s.unusual()};
  return {s.b.pad(self, p->before, p->after, s.b.scalar(s.call, 3, "value", 0))};
}

Results roll(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto dims = s.call.integers(2, "dims");
  if (self < 0) return {-1};
  const bool flat = !dims || dims->empty();
  const Sizes shape = s.b.shape(self);
  const Size all = product(shape, s.b.variants());
  int value = flat ? s.b.reshape(self, {all}) : self;
  const std::size_t count = flat ? 1 : dims->size();
  for (std::size_t i = 0; i < count; ++i) {
    const bool single = s.call.length(1, "shifts") == 0;
    const auto shift = s.b.size_argument(s.call, 1, "shifts", single ? -1 : static_cast<int>(i));
    const int dim = flat ? 0 : s.b.dimension(self, (*dims)[i]);
    if (!shift || dim < 0) return {s.unusual()};
    const Size& size = s.b.shape(value)[static_cast<std::size_t>(dim)];
    value =
        s.b.remap(value, dim, size, {"((($0 - #0) % #1 + #1) % #1)", {dim}, {*shift, size}, -1});
  }
  return {flat ? s.b.reshape(value, shape) : value};
}

Results flip(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto dims = s.call.integers(1, "dims");
  if (self < 0 || !dims) return {s.unusual()};
  Sizes shape = s.b.shape(self);
  std::vector<IndexFormula> maps = as_is(shape.size());
  for (const std::int64_t wanted : *dims) {
    const int dim = s.b.dimension(self, wanted);
    if (dim < 0) return {-1};
    const auto d = static_cast<std::size_t>(dim);
    maps[d] = {"#0 - 1 - $0", {dim}, {shape[d]}, -1};
  }
  return {s.b.map(self, std::move(shape), std::move(maps))};
}

Results repeat(Scope& s) {
  const int self = s.tensor(0, "self");
  const char* name = s.call.short_op() == "tile" ? "dims" : "repeats";
  const std::size_t count = s.call.length(1, name);
  if (self < 0) return {-1};
  Sizes own = s.b.shape(self);
  const std::size_t rank = std::max(count, own.size());
  own.insert(own.begin(), rank - own.size(), s.b.number(1));
  const int wide = s.b.reshape(self, own);
  std::vector<IndexFormula> maps = as_is(rank);
  Sizes shape = own;
  for (std::size_t d = rank - count; d < rank; ++d) {
    const auto times = s.b.size_argument(s.call, 1, name, static_cast<int>(d + count - rank));
    if (!times) return {s.unusual()};
    if (times->is_unit()) continue;
    shape[d] = s.b.named(own[d] * *times);
    maps[d] = {"$0 % #0", {static_cast<int>(d)}, {own[d]}, -1};
  }
  return {s.b.map(wide, std::move(shape), std::move(maps))};
}

Results repeat_interleave(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto times = s.b.size_argument(s.call, 1, "repeats");
  if (self < 0 || !times || s.call.overload() != "self_int") return {s.unusual()};
  const bool flat = !s.has(2, "dim");
  const int value = flat ? s.b.reshape(self, {product(s.b.shape(self), s.b.variants())}) : self;
  const auto dim = dim_of(s, value, 2, 0);
  if (!dim) return {s.unusual()};
  const Size& own = s.b.shape(value)[static_cast<std::size_t>(*dim)];
  return {s.b.remap(value, *dim, s.b.named(own * *times), {"$0 / #0", {*dim}, {*times}, -1})};
}

// tril keeps columns up to row + diagonal, triu those from there on.
Results triangle(Scope& s, const char* kept) {
  const int self = s.tensor(0, "self");
  const auto diagonal = s.has(1, "diagonal") ? s.b.size_argument(s.call, 1, "diagonal")
                                             : std::optional<Size>(s.b.number(0));
  if (self < 0 || !diagonal || s.b.shape(self).size() < 2) return {s.unusual()};
  const auto rank = static_cast<int>(s.b.shape(self).size());
  return {s.b.guard({kept, {rank - 2, rank - 1}, {*diagonal}, -1}, self, s.b.literal(0))};
}

Results unfold(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto wanted = s.call.integer(1, "dimension", 0);
  const auto size = s.b.size_argument(s.call, 2, "size");
  const auto step = s.b.size_argument(s.call, 3, "step");
  if (self < 0 || !wanted || !size || !step) return {s.unusual()};
  const int dim = s.b.dimension(self, *wanted);
  if (dim < 0) return {-1};
  Sizes shape = s.b.shape(self);
  std::vector<IndexFormula> maps = as_is(shape.size());
  const auto d = static_cast<std::size_t>(dim);
  maps[d] = {"$0 * #0 + $1", {dim, static_cast<int>(shape.size())}, {*step}, -1};
  shape[d] = s.b.named(quotient(shape[d] - *size, *step) + s.b.number(1));
  shape.push_back(*size);
  return {s.b.map(self, std::move(shape), std::move(maps))};
}

Results diagonal(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto offset = s.call.integer(1, "offset", 0);
  const auto first = s.call.integer(2, "dim1", 0);
  const auto second = s.call.integer(3, "dim2", 1);
  if (self < 0 || !offset || *offset != 0 || !first || !second) return {s.unusual()};
  const int a = s.b.dimension(self, *first);
  const int b = s.b.dimension(self, *second);
  if (a < 0 || b < 0 || a == b) return {s.unusual()};
  const Sizes own = s.b.shape(self);
  Sizes shape;
  std::vector<IndexFormula> maps(own.size());
  for (std::size_t d = 0; d < own.size(); ++d) {
    if (static_cast<int>(d) == a || static_cast<int>(d) == b) continue;
    maps[d] = {"$0", {static_cast<int>(shape.size())}, {}, -1};
    shape.push_back(own[d]);
  }
  const IndexFormula both{"$0", {static_cast<int>(shape.size())}, {}, -1};
  maps[static_cast<std::size_t>(a)] = both;
  maps[static_cast<std::size_t>(b)] = both;
  shape.push_back(least(own[static_cast<std::size_t>(a)], own[static_cast<std::size_t>(b)]));
  return {s.b.map(self, std::move(shape), std::move(maps))};
}

// [n, c * r * r, h, w] to [n, c, h * r, w * r] and back.
Results pixel_shuffle(Scope& s, bool back) {
  const int self = s.tensor(0, "self");
  const auto r = s.b.size_argument(s.call, 1, back ? "downscale_factor" : "upscale_factor");
  if (self < 0 || !r || s.b.shape(self).size() != 4) return {s.unusual()};
  const Sizes n = s.b.shape(self);
  if (back) {
    const Size h = s.b.named(quotient(n[2], *r));
    const Size w = s.b.named(quotient(n[3], *r));
    const int split = s.b.reshape(self, {n[0], n[1], h, *r, w, *r});
    return {s.b.reshape(s.b.permute(split, {0, 1, 3, 5, 2, 4}), {n[0], n[1] * *r * *r, h, w})};
  }
  const Size c = s.b.named(quotient(n[1], *r * *r));
  const int split = s.b.reshape(self, {n[0], c, *r, *r, n[2], n[3]});
  return {s.b.reshape(s.b.permute(split, {0, 1, 4, 2, 5, 3}), {n[0], c, n[2] * *r, n[3] * *r})};
}

Results channel_shuffle(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto groups = s.b.size_argument(s.call, 1, "groups");
  if (self < 0 || !groups || s.b.shape(self).size() < 3) return {s.unusual()};
  const Sizes own = s.b.shape(self);
  Sizes split = own;
  split[1] = *groups;
  split.insert(split.begin() + 2, quotient(own[1], *groups));
  std::vector<int> order;
  for (std::size_t d = 0; d < split.size(); ++d) order.push_back(static_cast<int>(d));
  std::swap(order[1], order[2]);
  return {s.b.reshape(s.b.permute(s.b.reshape(self, split), order), own)};
}

}  // namespace

void add_index_rules(Rules& rules) {
  const Rules more = {
      {"cat", cat},
      {"concat", cat},
      {"concatenate", cat},
      {"stack", stack},
      {"constant_pad_nd", constant_pad},
      {"pad", pad},
      {"reflection_pad1d", [](Scope& s) { return moved_pad(s, kReflected); }},
      {"reflection_pad2d", [](Scope& s) { return moved_pad(s, kReflected); }},
      {"reflection_pad3d", [](Scope& s) { return moved_pad(s, kReflected); }},
      {"replication_pad1d", [](Scope& s) { return moved_pad(s, kReplicated); }},
      {"replication_pad2d", [](Scope& s) { return moved_pad(s, kReplicated); }},
      {"replication_pad3d", [](Scope& s) { return moved_pad(s, kReplicated); }},
      {"roll", roll},
      {"flip", flip},
      {"repeat", repeat},
      {"tile", repeat},
      {"repeat_interleave", repeat_interleave},
      {"tril", [](Scope& s) { return triangle(s, "$1 - $0 <= #0"); }},
      {"triu", [](Scope& s) { return triangle(s, "$1 - $0 >= #0"); }},
      {"unfold", unfold},
      {"diagonal", diagonal},
      {"pixel_shuffle", [](Scope& s) { return pixel_shuffle(s, false); }},
      {"pixel_unshuffle", [](Scope& s) { return pixel_shuffle(s, true); }},
      {"channel_shuffle", channel_shuffle},
      {"native_channel_shuffle", channel_shuffle},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
