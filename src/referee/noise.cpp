#include "referee/noise.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "referee/lowering.h"
#include "referee/operators.h"
#include "referee/random.h"

namespace kvgen::referee {

// The dispatcher calls a plain function, so the run in progress is found here.
struct NoiseMode {
  static inline thread_local Noise* current = nullptr;
  static constexpr c10::DispatchKey kKey = c10::DispatchKey::TESTING_ONLY_GenericMode;

  static void call(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                   torch::jit::Stack* stack) {
    if (lower(op, *stack)) return;
    const bool composite =
        op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
        !op.hasKernelForDispatchKey(c10::DispatchKey::CPU);
    if (composite) {
      op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kKey), stack);
    } else {
      current->leaf(op, *stack);
    }
  }
};

namespace {

// Takes effect only where Noise::call includes the key.
void register_mode() {
  static const torch::Library library = [] {
    torch::Library made(torch::Library::IMPL, "_", NoiseMode::kKey, __FILE__, __LINE__);
    made.fallback(torch::CppFunction::makeFromBoxedFunction<&NoiseMode::call>());
    return made;
  }();
}

constexpr double kPointwiseScale = 4;
constexpr double kFunctionScale = 8;
constexpr double kInputScale = 2;
constexpr double kSumScale = 1.5;
constexpr std::int64_t kKeptBytesLimit = 1LL << 30;

class Current {
 public:
  explicit Current(Noise* noise) : before_(std::exchange(NoiseMode::current, noise)) {}
  ~Current() { NoiseMode::current = before_; }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  Noise* before_;
};

// The arguments with every tensor and factor replaced by its absolute value.
c10::IValue magnitude(const c10::IValue& value, at::ScalarType type) {
  const auto of = [&](const at::Tensor& t) {
    return t.defined() && t.is_floating_point() ? t.abs().to(type) : t;
  };
  if (value.isTensor()) return of(value.toTensor());
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& t : value.toTensorVector()) list.push_back(of(t));
    return list;
  }
  if (value.isDouble()) return std::abs(value.toDouble());
  return value;
}

// Terms in each sum that the operator makes.
double sum_length(std::string_view name, const torch::jit::Stack& arguments,
                  const at::Tensor& result) {
  const auto tensor = [&](std::size_t i) { return arguments.at(i).toTensor(); };
  if (name == "aten::mm" || name == "aten::bmm" || name == "aten::mv" || name == "aten::dot" ||
      name == "aten::vdot") {
    return static_cast<double>(tensor(0).size(-1));
  }
  if (name == "aten::addmm" || name == "aten::baddbmm" || name == "aten::addmv") {
    return static_cast<double>(tensor(1).size(-1)) + 1;
  }
  if (name == "aten::addbmm") return static_cast<double>(tensor(1).size(-1) * tensor(1).size(0));
  if (name == "aten::convolution" || name == "aten::_convolution") {
    const at::Tensor weight = tensor(1);
    const bool transposed = arguments.at(6).toBool();
    const auto outer = std::max<std::int64_t>(1, weight.size(transposed ? 1 : 0));
    const double groups = transposed ? static_cast<double>(arguments.at(8).toInt()) : 1.0;
    return static_cast<double>(weight.numel() / outer) / groups + 1;
  }
  if (name == "aten::cumsum") {
    const at::Tensor in = tensor(0);
    return in.dim() == 0 ? 1.0 : static_cast<double>(in.size(arguments.at(1).toInt()));
  }
  if (name.starts_with("aten::avg_pool")) {
    double product = 1;
    for (const std::int64_t extent : arguments.at(1).toIntVector()) {
      product *= static_cast<double>(extent);
    }
    return product;
  }
  if (name.starts_with("aten::nll_loss")) return static_cast<double>(tensor(1).numel());
  if (name.starts_with("aten::upsample")) return 16;
  for (const c10::IValue& argument : arguments) {
    if (!argument.isTensor() || !argument.toTensor().defined()) continue;
    const auto outputs = std::max<std::int64_t>(1, result.numel());
    return std::max(
        1.0, static_cast<double>(argument.toTensor().numel()) / static_cast<double>(outputs));
  }
  return 1;
}

bool is_view(const c10::Argument& result) {
  return result.alias_info() != nullptr && !result.alias_info()->isWrite();
}

}  // namespace

Noise::Noise(std::uint64_t seed) : seed_(seed) { register_mode(); }

void Noise::begin_run(int run) {
  first_run_ = run == 0;
  run_key_ = mix(seed_ ^ mix(static_cast<std::uint64_t>(run / 2) + 1));
  side_ = run % 2 == 0 ? 1 : -1;
  draws_ = 0;
  next_leaf_ = 0;
  moved_ = 0;
  elements_ = 0;
}

void Noise::call(const c10::OperatorHandle& op, double unit, torch::jit::Stack& stack) {
  unit_ = unit;
  const Current current(this);
  const c10::impl::IncludeDispatchKeyGuard mode(NoiseMode::kKey);
  op.callBoxed(stack);
}

void Noise::leaf(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const c10::impl::ExcludeDispatchKeyGuard plain(NoiseMode::kKey);
  const std::string& name = op.schema().name();
  const Rounding rounding = rounding_of(name);
  if (rounding == Rounding::kExact || rounding == Rounding::kRandom) {
    op.callBoxed(stack);
    return;
  }
  const std::size_t count = op.schema().arguments().size();
  const torch::jit::Stack arguments(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
  const std::size_t index = next_leaf_++;
  if (bounds_.size() <= index) bounds_.resize(index + 1);
  at::Tensor bound = bounds_[index];
  if (rounding == Rounding::kSum && !bound.defined()) {
    bound = sum_bound(op, arguments);
    const auto bytes = static_cast<std::int64_t>(bound.nbytes());
    if (kept_bytes_ + bytes <= kKeptBytesLimit) {
      kept_bytes_ += bytes;
      bounds_[index] = bound;
    }
  }
  op.callBoxed(stack);

  const auto& results = op.schema().returns();
  for (std::size_t i = 0; i < results.size(); ++i) {
    c10::IValue& result = stack[stack.size() - results.size() + i];
    if (!result.isTensor() || is_view(results[i])) continue;
    at::Tensor out = result.toTensor();
    if (!out.defined() || !(out.is_floating_point() || out.is_complex())) continue;
    const bool written = results[i].alias_info() != nullptr;
    const bool aliases = std::any_of(arguments.begin(), arguments.end(), [&](const auto& a) {
      return a.isTensor() && a.toTensor().defined() && a.toTensor().is_alias_of(out);
    });
    if (aliases && !written) out = out.clone();
    double scale = rounding == Rounding::kFunction ? kFunctionScale : kPointwiseScale;
    if (rounding == Rounding::kProduct) {
      scale += kSumScale * std::sqrt(sum_length(name, arguments, out));
    }
    move(out, i == 0 ? bound : at::Tensor(), scale * unit_);
    result = out;
  }
}

// 1.5 sqrt(n) u Sum|terms|, in float32: a bound needs no more.
at::Tensor Noise::sum_bound(const c10::OperatorHandle& op, const torch::jit::Stack& arguments) {
  const auto terms = [&](at::ScalarType type) {
    torch::jit::Stack stack;
    for (const c10::IValue& argument : arguments) stack.push_back(magnitude(argument, type));
    op.callBoxed(stack);
    return stack.at(0).toTensor().abs();
  };
  at::Tensor sum = terms(at::kFloat);
  if (!std::isfinite(sum.sum().item<double>())) sum = terms(at::kDouble);
  const double length = sum_length(op.schema().name(), arguments, sum);
  if (first_run_) products_ += length * static_cast<double>(sum.numel());
  return sum.mul(kSumScale * std::sqrt(length) * unit_)
      .clamp_max(std::numeric_limits<float>::max())
      .to(at::kFloat)
      .contiguous();
}

at::Tensor Noise::rounded(const at::Tensor& tensor, double unit) {
  if (!tensor.defined() || !(tensor.is_floating_point() || tensor.is_complex())) return tensor;
  at::Tensor copy = tensor.clone();
  move(copy, {}, kInputScale * unit);
  --moved_;
  return copy;
}

void Noise::move(at::Tensor& out, const at::Tensor& bound, double scale) {
  ++moved_;
  elements_ += out.numel();
  at::Tensor real = out.is_complex() ? at::view_as_real(out) : out;
  at::Tensor dense = real.contiguous();
  if (dense.scalar_type() != at::kDouble) return;
  double* const values = dense.mutable_data_ptr<double>();
  const bool bounded = bound.defined() && bound.numel() == dense.numel();
  const float* const bounds = bounded ? bound.const_data_ptr<float>() : nullptr;
  const std::uint64_t key = mix(run_key_ ^ mix(++draws_));
  at::parallel_for(0, dense.numel(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const SignedPair x = signed_pair(key, static_cast<std::uint64_t>(i));
      double value = values[i] * (1 + side_ * scale * x.first);
      if (bounds != nullptr && std::isfinite(bounds[i])) value += side_ * bounds[i] * x.second;
      values[i] = value;
    }
  });
  if (!dense.is_same(real)) real.copy_(dense);
}

}  // namespace kvgen::referee
