#include "referee/limit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "referee/choice.h"
#include "referee/model.h"
#include "referee/noise.h"

namespace kvgen::referee {
namespace {

constexpr double kProductsForManyRuns = 3e8;
constexpr std::int64_t kElementsForManyRuns = 4'000'000;
constexpr std::int64_t kFewElements = 64;
constexpr int kManyRuns = 8;
constexpr int kFewRuns = 4;
constexpr std::int64_t kRowAtLeast = 64;

double smallest_normal(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return std::numeric_limits<double>::min();
    case DType::kFloat16:
      return 0x1p-14;
    default:
      return static_cast<double>(std::numeric_limits<float>::min());
  }
}

// Trailing dimensions together, until a row has enough elements to average over.
at::Tensor by_rows(const at::Tensor& tensor) {
  std::int64_t row = 1;
  for (std::int64_t d = tensor.dim(); d-- > 0 && row < kRowAtLeast;) row *= tensor.size(d);
  return tensor.reshape({-1, std::max<std::int64_t>(row, 1)});
}

// What the runs moved, for one kept value.
class Spread {
 public:
  explicit Spread(at::Tensor centre) : centre_(std::move(centre)) {
    if (centre_.is_floating_point()) largest_ = at::zeros_like(centre_);
  }

  void add(const at::Tensor& moved) {
    if (!centre_.is_floating_point()) {
      const at::Tensor plain = moved.to(at::kLong).contiguous();
      if (!at::equal(plain, centre_.to(at::kLong))) alternatives_.push_back(plain);
      return;
    }
    at::Tensor move = at::sub(moved, centre_).abs_();
    move.masked_fill_(at::isfinite(move).logical_not_(), 0);
    at::maximum_out(largest_, largest_, move);
  }

  [[nodiscard]] at::Tensor limit(DType dtype) const {
    const at::Tensor rows = by_rows(largest_);
    // Of those that moved: what a clamp has made equal tells nothing of the others.
    const at::Tensor moved = rows.ne(0).sum(at::IntArrayRef{1}, true).clamp_min(1);
    const at::Tensor mean = rows.square().sum(at::IntArrayRef{1}, true).div_(moved).sqrt_();
    at::Tensor limit = at::maximum(rows, mean).reshape(centre_.sizes()).mul(2);
    limit.add_(at::abs(centre_), 8 * unit_roundoff(dtype)).add_(smallest_normal(dtype));
    return limit.nan_to_num(std::numeric_limits<float>::max())
        .clamp_max(std::numeric_limits<float>::max());
  }

  [[nodiscard]] const at::Tensor& centre() const { return centre_; }
  [[nodiscard]] const std::vector<at::Tensor>& alternatives() const { return alternatives_; }

 private:
  at::Tensor centre_;
  at::Tensor largest_;
  std::vector<at::Tensor> alternatives_;
};

template <class T>
std::vector<T> elements(const at::Tensor& tensor, at::ScalarType type) {
  const at::Tensor dense = tensor.to(type).contiguous();
  const T* data = dense.const_data_ptr<T>();
  return {data, data + dense.numel()};
}

int runs_for(const Noise& first, const Graph& graph) {
  const bool cheap =
      first.products() < kProductsForManyRuns && first.elements() < kElementsForManyRuns;
  // A rounded integer has no row to lean on: each of its neighbours must have been met.
  const bool hard = std::any_of(graph.outputs.begin(), graph.outputs.end(), [](const auto& out) {
    return numel(out.spec.shape) < kFewElements || !is_floating(out.spec.dtype);
  });
  return cheap || hard ? kManyRuns : kFewRuns;
}

}  // namespace

Result<std::vector<ExpectedOutput>> derive_expected(const Variant& variant,
                                                    const std::vector<at::Tensor>& inputs,
                                                    const std::vector<at::Tensor>& eager,
                                                    std::uint64_t draw_seed) {
  const c10::InferenceMode inference;
  const std::vector<ChoiceSource> sources = find_choices(variant.graph);
  std::vector<ValueId> watched;
  for (const ChoiceSource& source : sources) watched.push_back(source.from);
  TRY(const Model model, Model::make(variant, Precision::kWide, watched));
  TRY(const std::vector<at::Tensor> centres, model.run(inputs, draw_seed));

  return guarded("the limit", [&]() -> Result<std::vector<ExpectedOutput>> {
    std::vector<Spread> spreads;
    for (const at::Tensor& centre : centres) spreads.emplace_back(centre.contiguous());
    Noise noise(draw_seed);
    int runs = 1;
    for (int run = 0; run < runs; ++run) {
      noise.begin_run(run);
      TRY(const auto moved, model.run(inputs, draw_seed, &noise));
      for (std::size_t i = 0; i < moved.size(); ++i) {
        if (moved[i].sizes() != centres[i].sizes()) {
          return Error(Code::kInvalid,
                       "the shape of a result depends on rounding; this task "
                       "cannot be judged");
        }
        spreads[i].add(moved[i]);
      }
      if (run == 0) runs = runs_for(noise, variant.graph);
    }

    const std::size_t outputs = variant.graph.outputs.size();
    std::vector<ExpectedOutput> all(outputs);
    for (std::size_t i = 0; i < outputs; ++i) {
      ExpectedOutput& expected = all[i];
      expected.spec = variant.graph.outputs[i].spec;
      expected.exact = noise.moved() == 0;
      const Spread& spread = spreads[i];
      if (expected.floating()) {
        expected.values = elements<double>(spread.centre(), at::kDouble);
        expected.limits = elements<float>(spread.limit(expected.spec.dtype), at::kFloat);
        expected.eager = elements<float>(eager[i], at::kFloat);
        continue;
      }
      expected.integers = elements<std::int64_t>(spread.centre(), at::kLong);
      for (const at::Tensor& other : spread.alternatives()) {
        expected.alternatives.push_back(elements<std::int64_t>(other, at::kLong));
      }
    }
    for (std::size_t s = 0; s < sources.size(); ++s) {
      // Equal values that nothing has rounded are equal in every kernel.
      if (sources[s].first && all[sources[s].output].exact) continue;
      const Spread& from = spreads[outputs + s];
      if (!from.centre().is_floating_point() || model.writes_in_place()) continue;
      Choice choice = shape_of(sources[s], from.centre().sizes().vec());
      choice.values = elements<double>(from.centre(), at::kDouble);
      choice.limits = elements<float>(from.limit(DType::kFloat32), at::kFloat);
      all[sources[s].output].choice = std::move(choice);
    }
    return all;
  });
}

}  // namespace kvgen::referee
