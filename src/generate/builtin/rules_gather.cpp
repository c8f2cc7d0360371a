#include <algorithm>
#include <string>

#include "generate/builtin/lower.h"

// Operators that read where a tensor of integers says, and integers themselves.
namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

std::vector<int> first_dims(std::size_t count, std::size_t from = 0) {
  std::vector<int> dims;
  for (std::size_t i = 0; i < count; ++i) dims.push_back(static_cast<int>(from + i));
  return dims;
}

bool is_index(Scope& s, int id) {
  return id >= 0 && (s.b.dtype(id) == DType::kInt64 || s.b.dtype(id) == DType::kInt32);
}

Results embedding(Scope& s) {
  const int weight = s.tensor(0, "weight");
  const int indices = s.tensor(1, "indices");
  if (weight < 0 || !is_index(s, indices)) return {s.unusual()};
  Sizes shape = s.b.shape(indices);
  const auto rank = static_cast<int>(shape.size());
  shape.push_back(s.b.shape(weight)[1]);
  return {s.b.map(
      weight, std::move(shape),
      {{"$0", first_dims(static_cast<std::size_t>(rank)), {}, indices}, {"$0", {rank}, {}, -1}})};
}

Results index_select(Scope& s) {
  const int self = s.tensor(0, "self");
  const int index = s.tensor(2, "index");
  const auto wanted = s.call.integer(1, "dim", 0);
  if (self < 0 || !is_index(s, index) || !wanted) return {s.unusual()};
  const int dim = s.b.dimension(self, *wanted);
  if (dim < 0 || s.b.shape(index).size() != 1) return {s.unusual()};
  return {s.b.remap(self, dim, s.b.shape(index)[0], {"$0", {dim}, {}, index})};
}

int gathered(Scope& s, int self, int dim, int index) {
  if (self < 0 || dim < 0 || !is_index(s, index)) return s.unusual();
  const Sizes shape = s.b.shape(index);
  if (shape.size() != s.b.shape(self).size()) return s.unusual();
  std::vector<IndexFormula> maps;
  for (const int d : first_dims(shape.size())) maps.push_back({"$0", {d}, {}, -1});
  const Size& size = s.b.shape(self)[static_cast<std::size_t>(dim)];
  maps[static_cast<std::size_t>(dim)] = {
      "($0 < 0 ? $0 + #0 : $0)", first_dims(shape.size()), {size}, index};
  return s.b.map(self, shape, std::move(maps));
}

Results gather(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto dim = s.call.integer(1, "dim", 0);
  if (self < 0 || !dim) return {s.unusual()};
  return {gathered(s, self, s.b.dimension(self, *dim), s.tensor(2, "index"))};
}

Results take_along_dim(Scope& s) {
  int self = s.tensor(0, "self");
  int index = s.tensor(1, "indices");
  const auto wanted = s.call.integer(2, "dim", 0);
  if (self < 0 || index < 0 || !wanted || !s.has(2, "dim")) return {s.unusual()};
  const int dim = s.b.dimension(self, *wanted);
  const std::size_t rank = s.b.shape(self).size();
  if (dim < 0 || s.b.shape(index).size() != rank) return {s.unusual()};
  Sizes own = s.b.shape(self);
  Sizes places = s.b.shape(index);
  for (std::size_t d = 0; d < rank; ++d) {
    if (static_cast<int>(d) == dim) continue;
    if (own[d].all_ones()) own[d] = places[d];
    if (places[d].all_ones()) places[d] = own[d];
  }
  return {gathered(s, s.b.broadcast_to(self, own), dim, s.b.broadcast_to(index, places))};
}

// x[i, :, j]: the integers broadcast against each other; their dimensions stand
// where the first of them is when all are neighbours, else in front.
Results index(Scope& s) {
  const int self = s.tensor(0, "self");
  if (self < 0) return {-1};
  const std::vector<int> given = s.tensors_or_none(1, "indices");
  const Sizes own = s.b.shape(self);
  if (s.b.declined() || given.empty() || given.size() > own.size()) return {s.unusual()};
  std::vector<std::size_t> indexed;
  std::vector<int> tensors;
  for (std::size_t d = 0; d < given.size(); ++d) {
    if (given[d] < 0) continue;
    if (!is_index(s, given[d])) return {s.unusual()};
    indexed.push_back(d);
    tensors.push_back(given[d]);
  }
  if (indexed.empty()) return {s.unusual()};
  const auto common = s.b.broadcast_shape(tensors);
  if (!common) return {s.unusual()};
  const bool neighbours = indexed.back() - indexed.front() + 1 == indexed.size();
  const std::size_t place = neighbours ? indexed.front() : 0;
  Sizes shape;
  std::vector<IndexFormula> maps(own.size());
  const auto put_common = [&] {
    const std::vector<int> dims = first_dims(common->size(), shape.size());
    for (std::size_t i = 0; i < indexed.size(); ++i) {
      maps[indexed[i]] = {"($0 < 0 ? $0 + #0 : $0)",
                          dims,
                          {own[indexed[i]]},
                          s.b.broadcast_to(tensors[i], *common)};
    }
    shape.insert(shape.end(), common->begin(), common->end());
  };
  for (std::size_t d = 0, kept = 0; d < own.size(); ++d) {
    if (kept == place && shape.size() == place) put_common();
    if (d < given.size() && given[d] >= 0) continue;
    maps[d] = {"$0", {static_cast<int>(shape.size())}, {}, -1};
    shape.push_back(own[d]);
    ++kept;
  }
  if (shape.size() == place && place + common->size() > 0) put_common();
  return {s.b.map(self, std::move(shape), std::move(maps))};
}

Results one_hot(Scope& s) {
  const int self = s.tensor(0, "self");
  const auto classes = s.b.size_argument(s.call, 1, "num_classes");
  if (!is_index(s, self) || !classes || classes->at[0] < 1) return {s.unusual()};
  Sizes shape = s.b.shape(self);
  shape.push_back(s.b.number(1));
  const int wide = s.b.reshape(self, shape);
  shape.back() = *classes;
  const int place = s.b.position(shape, {"$0", {static_cast<int>(shape.size()) - 1}, {}, -1});
  return {s.b.pointwise("($0 == $1)", {wide, place}, DType::kInt64)};
}

// arange(end), (start, end), (start, end, step) of integers.
Results arange(Scope& s) {
  const std::string& overload = s.call.overload();
  const bool from_zero = overload.empty();
  const DType dtype = s.result_dtype();
  const auto shape = s.call.shape();
  const auto start =
      from_zero ? std::optional<Size>(s.b.number(0)) : s.b.size_argument(s.call, 0, "start");
  const auto end = s.b.size_argument(s.call, from_zero ? 0 : 1, "end");
  const auto step = overload == "start_step" && s.has(2, "step")
                        ? s.b.size_argument(s.call, 2, "step")
                        : std::optional<Size>(s.b.number(1));
  if (!shape || !start || !end || !step || step->at[0] < 1) return {s.unusual()};
  const Size room = *end - *start;
  const Size count =
      step->is_unit() ? room : derived("ceil_div($0, $1)", {room, *step}, [](const auto& v) {
        return (v[0] + v[1] - 1) / v[1];
      });
  const int place = s.b.position({s.b.named(count)}, {"$0 * #0 + #1", {0}, {*step, *start}, -1});
  return {s.b.cast(place, dtype)};
}

}  // namespace

void add_gather_rules(Rules& rules) {
  const Rules more = {
      {"embedding", embedding}, {"index_select", index_select},
      {"gather", gather},       {"take_along_dim", take_along_dim},
      {"index", index},         {"_unsafe_index", index},
      {"one_hot", one_hot},     {"arange", arange},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
