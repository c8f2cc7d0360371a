#include "referee/admit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "kvgen/base/hash.h"
#include "referee/element.h"
#include "referee/inputs.h"
#include "referee/limit.h"
#include "referee/model.h"

namespace kvgen::referee {
namespace {

constexpr std::size_t kRedrawnLimit = 128;  // tensors tried for "ignores"
constexpr double kConditionLimit = 1e-3;    // a tenth of the usual tolerance
constexpr double kNarrowUnits = 8;          // of float16 and bfloat16, whose round-off is larger
constexpr double kUsualTolerance = 1e-2;

struct Trial {
  std::vector<at::Tensor> inputs;
  std::vector<at::Tensor> eager;
  std::vector<ExpectedOutput> expected;
};

const Variant& tried_variant(const Task& task) {
  for (const char* name : {"small", "tiny"}) {
    if (const Variant* variant = task.variant(name)) return *variant;
  }
  return task.variants.front();
}

// One answer an output: the element's number from its place.
using Answer = std::function<double(const ExpectedOutput&, std::size_t)>;

bool passes(const Trial& trial, const Answer& answer) {
  for (const ExpectedOutput& expected : trial.expected) {
    const std::size_t count =
        expected.floating() ? expected.values.size() : expected.integers.size();
    for (std::size_t i = 0; i < count; ++i) {
      const double value = answer(expected, i);
      if (expected.floating()) {
        if (!(error_ratio(expected, i, value) <= 1)) return false;
      } else if (!right_integer(expected, i, static_cast<std::int64_t>(std::llround(value)))) {
        return false;
      }
    }
  }
  return true;
}

double mean_of(const ExpectedOutput& expected) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : expected.values) {
    if (std::isfinite(value)) sum += value, ++count;
  }
  for (const std::int64_t value : expected.integers) sum += static_cast<double>(value), ++count;
  const double mean = count == 0 ? 0 : sum / static_cast<double>(count);
  return expected.floating() ? static_cast<double>(static_cast<float>(mean)) : mean;
}

bool means_pass(const Trial& trial) {
  // A single number is its own mean.
  const bool scalars = std::all_of(trial.expected.begin(), trial.expected.end(),
                                   [](const auto& e) { return numel(e.spec.shape) <= 1; });
  if (scalars) return false;
  const ExpectedOutput* last = nullptr;
  double mean = 0;
  return passes(trial, [&](const ExpectedOutput& expected, std::size_t) {
    if (last != &expected) {
      last = &expected;
      mean = mean_of(expected);
    }
    return mean;
  });
}

bool copy_passes(const Trial& trial, const at::Tensor& input) {
  for (const ExpectedOutput& expected : trial.expected) {
    if (input.sizes() != at::IntArrayRef(expected.spec.shape)) return false;
  }
  const at::Tensor dense = input.to(at::kDouble).contiguous();
  const double* data = dense.const_data_ptr<double>();
  return passes(trial, [&](const ExpectedOutput&, std::size_t i) { return data[i]; });
}

bool zeros_are_close(const Trial& trial) {
  return std::all_of(trial.expected.begin(), trial.expected.end(), [](const auto& expected) {
    return expected.floating() &&
           std::all_of(expected.eager.begin(), expected.eager.end(), [](float value) {
             return std::abs(value) <= kUsualTolerance + kUsualTolerance * std::abs(value);
           });
  });
}

// Equal values, NaN like NaN, -0 like 0.
bool same_values(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].sizes() != b[i].sizes()) return false;
    const at::Tensor nan = at::isnan(a[i]).logical_and(at::isnan(b[i]));
    if (!at::eq(a[i], b[i]).logical_or(nan).all().item<bool>()) return false;
  }
  return true;
}

// The float32 error against the limit, and against the size of its row's values.
bool ill_conditioned(const Trial& trial, double unit) {
  const double allowed = std::max(kConditionLimit, kNarrowUnits * unit);
  for (const ExpectedOutput& expected : trial.expected) {
    if (!expected.floating()) continue;
    double squares = 0;
    std::size_t finite = 0;
    for (const double value : expected.values) {
      if (std::isfinite(value)) squares += value * value, ++finite;
    }
    const double size = finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      const double eager = expected.eager[i];
      const double value = expected.values[i];
      if (!(error_ratio(expected, i, eager) <= 1)) return true;
      if (!std::isfinite(value) || !std::isfinite(eager)) continue;
      if (std::abs(eager - value) > allowed * std::max(std::abs(value), size)) return true;
    }
  }
  return false;
}

// Other values of the same kind: a permutation, floating ones stretched too.
at::Tensor redrawn(const at::Tensor& tensor) {
  if (tensor.numel() < 2) {
    return tensor.is_floating_point() ? tensor.mul(1.25).add(0.5) : tensor;
  }
  const at::Tensor order = at::randperm(tensor.numel());
  const at::Tensor mixed = tensor.reshape({-1}).index_select(0, order).reshape(tensor.sizes());
  return tensor.is_floating_point() ? mixed.mul(1.25).add(0.01) : mixed;
}

class Admission {
 public:
  Admission(const Variant& variant, std::uint64_t seed)
      : variant_(variant), seed_(seed), draws_(seed_from(std::to_string(seed) + ":graph")) {}

  Result<std::vector<std::string>> marks() {
    TRY(auto model, Model::make(variant_, Precision::kRecorded));
    TRY(Trial recorded, trial(model, "recorded"));
    TRY(const auto again, model.run(recorded.inputs, draws_ + 1));
    const bool random = !same_values(recorded.eager, again);
    std::vector<Trial> trials;
    trials.push_back(std::move(recorded));
    for (const char* distribution : {"normal", "shifted"}) {
      auto other = trial(model, distribution);
      if (!other.ok()) continue;
      if (loses(trials[0], *other)) continue;
      trials.push_back(std::move(*other));
      break;
    }
    if (random) marks_.emplace_back("random");
    if (std::any_of(trials.begin(), trials.end(),
                    [&](const Trial& t) { return ill_conditioned(t, largest_unit()); })) {
      marks_.emplace_back("ill_conditioned");
    }
    cheap_answers(trials);
    TRY_VOID(independence(model, trials));
    return marks_;
  }

 private:
  Result<Trial> trial(const Model& model, const std::string& distribution) {
    Trial trial;
    TRY(trial.inputs, make_inputs(variant_, seed_, distribution));
    TRY(trial.eager, model.run(trial.inputs, draws_));
    TRY(trial.expected, derive_expected(variant_, trial.inputs, trial.eager, draws_));
    return trial;
  }

  // Unit round-off of the narrowest type in the graph.
  [[nodiscard]] double largest_unit() const {
    double unit = 0;
    for (const GraphInput& input : variant_.graph.inputs) {
      unit = std::max(unit, unit_roundoff(input.spec.dtype));
    }
    for (const Node& node : variant_.graph.nodes) {
      for (const auto& meta : node.metas) {
        if (meta) unit = std::max(unit, unit_roundoff(meta->dtype));
      }
    }
    return unit;
  }

  static bool loses(const Trial& recorded, const Trial& other) {
    for (std::size_t i = 0; i < recorded.expected.size(); ++i) {
      const auto& a = recorded.expected[i].eager;
      const auto& b = other.expected[i].eager;
      for (std::size_t j = 0; j < a.size(); ++j) {
        if (std::isfinite(a[j]) && !std::isfinite(b[j])) return true;
      }
    }
    return false;
  }

  void cheap_answers(const std::vector<Trial>& trials) {
    const auto everywhere = [&](const std::function<bool(const Trial&)>& test) {
      return std::all_of(trials.begin(), trials.end(), test);
    };
    const auto constant = [](double value) {
      return [value](const Trial& t) {
        return passes(t, [value](const ExpectedOutput&, std::size_t) { return value; });
      };
    };
    if (everywhere(constant(0))) {
      marks_.emplace_back("degenerate: zeros");
    } else if (everywhere(constant(1))) {
      marks_.emplace_back("degenerate: ones");
    } else if (everywhere(means_pass)) {
      marks_.emplace_back("degenerate: means");
    }
    if (zeros_are_close(trials[0])) marks_.emplace_back("loose: zeros pass allclose 1e-2");
    for (std::size_t i = 0; i < variant_.graph.inputs.size(); ++i) {
      if (everywhere([&](const Trial& t) { return copy_passes(t, t.inputs[i]); })) {
        marks_.push_back("degenerate: copy of " + variant_.graph.inputs[i].spec.name);
      }
    }
  }

  Result<void> independence(const Model& model, const std::vector<Trial>& trials) {
    const std::size_t count = std::min(variant_.graph.inputs.size(), kRedrawnLimit);
    for (std::size_t i = 0; i < count; ++i) {
      bool ignored = true;
      for (const Trial& trial : trials) {
        std::vector<at::Tensor> inputs = trial.inputs;
        inputs[i] = redrawn(inputs[i]);
        if (at::equal(inputs[i], trial.inputs[i])) {
          ignored = false;
          break;
        }
        auto outputs = model.run(inputs, draws_);
        ignored = outputs.ok() && same_values(trial.eager, *outputs);
        if (!ignored) break;
      }
      if (ignored) marks_.push_back("ignores: " + variant_.graph.inputs[i].spec.name);
    }
    return ok();
  }

  const Variant& variant_;
  std::uint64_t seed_;
  std::uint64_t draws_;
  std::vector<std::string> marks_;
};

}  // namespace

Result<std::vector<std::string>> admit(const Task& task, std::uint64_t seed) {
  const c10::InferenceMode inference;
  return guarded("task " + task.name, [&] { return Admission(tried_variant(task), seed).marks(); });
}

}  // namespace kvgen::referee
