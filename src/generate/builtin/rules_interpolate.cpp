#include <string>

#include "generate/builtin/lower.h"

namespace kvgen::builtin {
namespace {

using Results = std::vector<int>;

struct Resize {
  int self = -1;
  std::size_t rank = 0;  // of the space, behind batch and channel
  Sizes sizes;           // of the result's space
};

// The result's sizes: given, or the input's times a factor that fits them.
std::optional<Resize> resize(Scope& s, std::size_t rank) {
  Resize r;
  r.self = s.tensor(0, s.call.overload() == "vec" ? "input" : "self");
  const auto target = s.call.shape();
  if (r.self < 0 || !target || s.b.shape(r.self).size() != rank + 2) return std::nullopt;
  r.rank = rank;
  for (std::size_t d = 0; d < rank; ++d) {
    const Size& own = s.b.shape(r.self)[2 + d];
    const auto& wanted = (*target)[2 + d];
    std::optional<Size> size;
    if (s.has(1, "output_size")) {
      size = s.b.size_argument(s.call, 1, "output_size", static_cast<int>(d));
    }
    if (!size && own.at[0] != 0 && wanted[0] % own.at[0] == 0) {
      size = own * s.b.number(wanted[0] / own.at[0]);
    }
    if (!size && wanted[0] != 0 && own.at[0] % wanted[0] == 0) {
      size = quotient(own, s.b.number(own.at[0] / wanted[0]));
    }
    if (!size || size->at != wanted) return std::nullopt;
    r.sizes.push_back(s.b.named(*size));
  }
  return r;
}

// Whole factors either way: others round as floats do.
Results nearest(Scope& s, std::size_t rank) {
  const auto r = resize(s, rank);
  if (!r) return {s.unusual()};
  Sizes shape = s.b.shape(r->self);
  std::vector<IndexFormula> maps = {{"$0", {0}, {}, -1}, {"$0", {1}, {}, -1}};
  for (std::size_t d = 0; d < rank; ++d) {
    const Size& own = shape[2 + d];
    for (std::size_t v = 0; v < s.b.variants(); ++v) {
      const std::int64_t to = r->sizes[d].at[v];
      if (to < 1 || (to % own.at[v] != 0 && own.at[v] % to != 0)) return {s.unusual()};
    }
    maps.push_back({"$0 * #0 / #1", {static_cast<int>(2 + d)}, {own, r->sizes[d]}, -1});
  }
  for (std::size_t d = 0; d < rank; ++d) shape[2 + d] = r->sizes[d];
  return {s.b.map(r->self, std::move(shape), std::move(maps))};
}

// Along one dimension: the two neighbours of where each element falls, by their distances.
int blended(Scope& s, int self, int dim, const Size& size, bool corners) {
  if (self < 0) return -1;
  const DType dtype = s.result_dtype();
  const Size own = s.b.shape(self)[static_cast<std::size_t>(dim)];
  Sizes line(s.b.shape(self).size(), s.b.number(1));
  line[static_cast<std::size_t>(dim)] = size;
  const int at = s.b.position(line, {"$0", {dim}, {}, -1});
  int place = -1;
  if (corners) {
    const std::string scale =
        size.text + " > 1 ? (" + own.text + " - 1) / (" + size.text + " - 1.0) : 0.0";
    place = s.b.pointwise("($0 * $1)", {at, s.b.size_scalar(scale)}, DType::kFloat32);
  } else {
    const std::string scale = "(" + own.text + ") / (" + size.text + ")";
    place =
        s.b.pointwise("(($0 + T(0.5)) * $1 - T(0.5) < T(0) ? T(0) : ($0 + T(0.5)) * $1 - T(0.5))",
                      {at, s.b.size_scalar(scale)}, DType::kFloat32);
  }
  const int low = s.b.cast(place, DType::kInt64);
  const int part = s.b.pointwise("($0 - floor@($0))", {place}, DType::kFloat32);
  const std::vector<int> flat = {dim};
  const int index = s.b.reshape(low, {size});
  const int a = s.b.remap(self, dim, size, {"$0", flat, {}, index});
  const int b = s.b.remap(self, dim, size, {"($0 + 1 < #0 ? $0 + 1 : #0 - 1)", flat, {own}, index});
  return s.b.pointwise("((T(1) - $2) * $0 + $2 * $1)", {a, b, part}, dtype);
}

Results linear(Scope& s, std::size_t rank) {
  const auto r = resize(s, rank);
  const auto corners = s.call.boolean(2, "align_corners", false);
  if (!r || !corners || !is_floating(s.result_dtype())) return {s.unusual()};
  int value = r->self;
  for (std::size_t d = rank; d-- > 0;) {
    value = blended(s, value, static_cast<int>(2 + d), r->sizes[d], *corners);
  }
  return {value};
}

}  // namespace

void add_interpolate_rules(Rules& rules) {
  const Rules more = {
      {"upsample_nearest1d", [](Scope& s) { return nearest(s, 1); }},
      {"upsample_nearest2d", [](Scope& s) { return nearest(s, 2); }},
      {"upsample_nearest3d", [](Scope& s) { return nearest(s, 3); }},
      {"upsample_linear1d", [](Scope& s) { return linear(s, 1); }},
      {"upsample_bilinear2d", [](Scope& s) { return linear(s, 2); }},
      {"upsample_trilinear3d", [](Scope& s) { return linear(s, 3); }},
  };
  rules.insert(more.begin(), more.end());
}

}  // namespace kvgen::builtin
