#include "referee/lowering.h"

#include <cmath>
#include <numbers>
#include <string>
#include <unordered_map>

namespace kvgen::referee {
namespace {

using at::Tensor;
using c10::IValue;
using Arguments = const torch::jit::Stack&;
using Results = torch::jit::Stack;
using Rule = bool (*)(Arguments, Results&);

std::optional<Tensor> maybe(const IValue& value) {
  if (!value.isTensor() || !value.toTensor().defined()) return std::nullopt;
  return value.toTensor();
}

bool softmax(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  if (x.numel() == 0) return false;
  const std::int64_t dim = a[1].toInt();
  const Tensor e = at::exp(at::sub(x, at::amax(x, {dim}, true)));
  out.emplace_back(at::div(e, at::sum(e, at::IntArrayRef{dim}, true)));
  return true;
}

bool log_softmax(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  if (x.numel() == 0) return false;
  const std::int64_t dim = a[1].toInt();
  const Tensor d = at::sub(x, at::amax(x, {dim}, true));
  out.emplace_back(at::sub(d, at::log(at::sum(at::exp(d), at::IntArrayRef{dim}, true))));
  return true;
}

bool logsumexp(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  const auto dims = a[1].toIntVector();
  if (x.numel() == 0 || !x.is_floating_point()) return false;
  Tensor top = at::amax(x, dims, true);
  top = at::where(at::isinf(top), at::zeros_like(top), top);
  Tensor sum = at::sum(at::exp(at::sub(x, top)), dims, true);
  Tensor y = at::add(at::log(sum), top);
  out.emplace_back(a[2].toBool() ? y : at::reshape(y, at::amax(x, dims, false).sizes()));
  return true;
}

struct Moments {
  Tensor mean;
  Tensor centred;
  Tensor variance;  // biased
};

Moments moments(const Tensor& x, at::IntArrayRef dims) {
  Moments m;
  m.mean = at::mean(x, dims, true);
  m.centred = at::sub(x, m.mean);
  m.variance = at::mean(at::mul(m.centred, m.centred), dims, true);
  return m;
}

Tensor affine(Tensor y, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias) {
  if (weight) y = at::mul(y, *weight);
  if (bias) y = at::add(y, *bias);
  return y;
}

bool native_layer_norm(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  std::vector<std::int64_t> dims;
  const auto count = static_cast<std::int64_t>(a[1].toIntVector().size());
  for (std::int64_t d = x.dim() - count; d < x.dim(); ++d) dims.push_back(d);
  if (dims.empty() || dims.front() < 0 || x.numel() == 0) return false;
  const Moments m = moments(x, dims);
  const Tensor scale = at::rsqrt(at::add(m.variance, a[4].toDouble()));
  out.emplace_back(affine(at::mul(m.centred, scale), maybe(a[2]), maybe(a[3])));
  out.emplace_back(m.mean);
  out.emplace_back(scale);
  return true;
}

// Shapes a per-channel tensor so that it multiplies [N, C, ...].
std::optional<Tensor> by_channel(const std::optional<Tensor>& t, std::int64_t rank) {
  if (!t) return t;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank), 1);
  shape.at(1) = t->numel();
  return at::reshape(*t, shape);
}

bool native_group_norm(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  const std::int64_t batch = a[3].toInt();
  const std::int64_t groups = a[6].toInt();
  if (x.numel() == 0 || groups < 1 || x.dim() < 2) return false;
  const Moments m = moments(at::reshape(x, {batch, groups, -1}), {2});
  const Tensor scale = at::rsqrt(at::add(m.variance, a[7].toDouble()));
  const Tensor y = at::reshape(at::mul(m.centred, scale), x.sizes());
  out.emplace_back(affine(y, by_channel(maybe(a[1]), x.dim()), by_channel(maybe(a[2]), x.dim())));
  out.emplace_back(at::reshape(m.mean, {batch, groups}));
  out.emplace_back(at::reshape(scale, {batch, groups}));
  return true;
}

void track(const std::optional<Tensor>& running, const Tensor& now, double momentum) {
  if (!running) return;
  Tensor kept = *running;
  kept.copy_(
      at::add(at::mul(kept, 1 - momentum), at::mul(at::reshape(now, kept.sizes()), momentum)));
}

bool native_batch_norm(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  const auto mean = maybe(a[3]);
  const auto variance = maybe(a[4]);
  const bool training = a[5].toBool();
  if (x.numel() == 0 || x.dim() < 2 || (!training && !(mean && variance))) return false;
  const double eps = a[7].toDouble();
  Moments m;
  if (training) {
    std::vector<std::int64_t> dims = {0};
    for (std::int64_t d = 2; d < x.dim(); ++d) dims.push_back(d);
    m = moments(x, dims);
    const double n = static_cast<double>(x.numel()) / static_cast<double>(x.size(1));
    track(mean, m.mean, a[6].toDouble());
    track(variance, at::mul(m.variance, n / (n - 1)), a[6].toDouble());
  } else {
    m.mean = *by_channel(mean, x.dim());
    m.centred = at::sub(x, m.mean);
    m.variance = *by_channel(variance, x.dim());
  }
  const Tensor scale = at::rsqrt(at::add(m.variance, eps));
  out.emplace_back(affine(at::mul(m.centred, scale), by_channel(maybe(a[1]), x.dim()),
                          by_channel(maybe(a[2]), x.dim())));
  out.emplace_back(at::flatten(training ? m.mean : at::empty({0}, x.options())));
  out.emplace_back(at::flatten(training ? scale : at::empty({0}, x.options())));
  return true;
}

std::optional<Tensor> variance_of(Arguments a) {
  const Tensor x = a[0].toTensor();
  if (x.numel() == 0 || !x.is_floating_point()) return std::nullopt;
  std::vector<std::int64_t> dims;
  if (a[1].isIntList()) dims = a[1].toIntVector();
  if (dims.empty()) {
    for (std::int64_t d = 0; d < x.dim(); ++d) dims.push_back(d);
  }
  double n = 1;
  for (const std::int64_t d : dims) n *= static_cast<double>(x.size(d));
  const double correction = a[2].isNone() ? 1.0 : a[2].toScalar().toDouble();
  const bool keep = a[3].toBool();
  if (n - correction <= 0) return std::nullopt;
  const Tensor c = at::sub(x, at::mean(x, dims, true));
  return at::div(at::sum(at::mul(c, c), dims, keep), n - correction);
}

bool variance(Arguments a, Results& out) {
  const auto v = variance_of(a);
  if (v) out.emplace_back(*v);
  return v.has_value();
}

bool deviation(Arguments a, Results& out) {
  const auto v = variance_of(a);
  if (v) out.emplace_back(at::sqrt(*v));
  return v.has_value();
}

bool p_norm(const Tensor& x, double p, std::vector<std::int64_t> dims, bool keep, Results& out) {
  if (!x.is_floating_point() || x.numel() == 0 || !std::isfinite(p) || p <= 0) return false;
  if (dims.empty()) {
    for (std::int64_t d = 0; d < x.dim(); ++d) dims.push_back(d);
  }
  if (p == 1) {
    out.emplace_back(at::sum(at::abs(x), dims, keep));
  } else if (p == 2) {
    out.emplace_back(at::sqrt(at::sum(at::mul(x, x), dims, keep)));
  } else {
    out.emplace_back(at::pow(at::sum(at::pow(at::abs(x), p), dims, keep), 1 / p));
  }
  return true;
}

bool vector_norm(Arguments a, Results& out) {
  auto dims = a[2].isIntList() ? a[2].toIntVector() : std::vector<std::int64_t>();
  return p_norm(a[0].toTensor(), a[1].toScalar().toDouble(), std::move(dims), a[3].toBool(), out);
}

bool norm_of_all(Arguments a, Results& out) {
  return p_norm(a[0].toTensor(), a[1].toScalar().toDouble(), {}, false, out);
}

bool norm_over_dims(Arguments a, Results& out) {
  const double p = a[1].isNone() ? 2.0 : a[1].toScalar().toDouble();
  return p_norm(a[0].toTensor(), p, a[2].toIntVector(), a[3].toBool(), out);
}

bool distances(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  const Tensor y = a[1].toTensor();
  if (a[2].toDouble() != 2 || x.numel() == 0 || y.numel() == 0) return false;
  const Tensor xx = at::sum(at::mul(x, x), at::IntArrayRef{-1}, true);
  const Tensor yy = at::sum(at::mul(y, y), at::IntArrayRef{-1}, true);
  const Tensor cross = at::matmul(x, at::transpose(y, -1, -2));
  const Tensor square = at::add(at::sub(xx, at::mul(cross, 2)), at::transpose(yy, -1, -2));
  out.emplace_back(at::sqrt(at::clamp_min(square, 0)));
  return true;
}

bool reduced(const Tensor& each, std::int64_t reduction, Results& out) {
  if (reduction == at::Reduction::Mean) {
    out.emplace_back(at::mean(each));
  } else if (reduction == at::Reduction::Sum) {
    out.emplace_back(at::sum(each));
  } else {
    out.emplace_back(each);
  }
  return true;
}

bool mse_loss(Arguments a, Results& out) {
  const Tensor d = at::sub(a[0].toTensor(), a[1].toTensor());
  return reduced(at::mul(d, d), a[2].toInt(), out);
}

bool smooth_l1_loss(Arguments a, Results& out) {
  if (a[2].toInt() == at::Reduction::None) return false;
  return reduced(
      at::smooth_l1_loss(a[0].toTensor(), a[1].toTensor(), at::Reduction::None, a[3].toDouble()),
      a[2].toInt(), out);
}

bool huber_loss(Arguments a, Results& out) {
  if (a[2].toInt() == at::Reduction::None) return false;
  return reduced(
      at::huber_loss(a[0].toTensor(), a[1].toTensor(), at::Reduction::None, a[3].toDouble()),
      a[2].toInt(), out);
}

bool binary_cross_entropy(Arguments a, Results& out) {
  if (a[3].toInt() == at::Reduction::None) return false;
  return reduced(
      at::binary_cross_entropy(a[0].toTensor(), a[1].toTensor(), maybe(a[2]), at::Reduction::None),
      a[3].toInt(), out);
}

bool binary_cross_entropy_with_logits(Arguments a, Results& out) {
  if (a[4].toInt() == at::Reduction::None) return false;
  return reduced(at::binary_cross_entropy_with_logits(a[0].toTensor(), a[1].toTensor(), maybe(a[2]),
                                                      maybe(a[3]), at::Reduction::None),
                 a[4].toInt(), out);
}

bool gelu(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  Tensor inner;
  if (a[1].toStringRef() == "tanh") {
    const Tensor cube = at::mul(at::mul(at::mul(x, x), x), 0.044715);
    const double scale = std::sqrt(2 / std::numbers::pi);
    inner = at::tanh(at::mul(at::add(x, cube), scale));
  } else {
    inner = at::erf(at::mul(x, std::numbers::sqrt2 / 2));
  }
  out.emplace_back(at::mul(at::mul(x, 0.5), at::add(inner, 1)));
  return true;
}

Tensor softplus_of(const Tensor& x, double beta, double threshold) {
  const Tensor z = at::mul(x, beta);
  const Tensor bent = at::div(at::log(at::add(at::exp(z), 1)), beta);
  return at::where(at::gt(z, threshold), x, bent);
}

bool softplus(Arguments a, Results& out) {
  out.emplace_back(
      softplus_of(a[0].toTensor(), a[1].toScalar().toDouble(), a[2].toScalar().toDouble()));
  return true;
}

bool mish(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  out.emplace_back(at::mul(x, at::tanh(softplus_of(x, 1, 20))));
  return true;
}

bool elu(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  const double alpha = a[1].toScalar().toDouble();
  const double scale = a[2].toScalar().toDouble();
  const double input_scale = a[3].toScalar().toDouble();
  const Tensor bent = at::mul(at::sub(at::exp(at::mul(x, input_scale)), 1), alpha * scale);
  out.emplace_back(at::where(at::gt(x, 0), at::mul(x, scale), bent));
  return true;
}

bool expm1(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  if (!x.is_floating_point()) return false;
  out.emplace_back(at::sub(at::exp(x), 1));
  return true;
}

bool log1p(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  if (!x.is_floating_point()) return false;
  out.emplace_back(at::log(at::add(x, 1)));
  return true;
}

bool log_sigmoid_forward(Arguments a, Results& out) {
  const Tensor x = a[0].toTensor();
  out.emplace_back(at::neg(softplus_of(at::neg(x), 1, 30)));
  out.emplace_back(at::empty({0}, x.options()));
  return true;
}

bool attention(Arguments a, Results& out) {
  const auto scale = a[6].isNone() ? std::nullopt : std::optional(a[6].toDouble());
  out.emplace_back(std::get<0>(at::_scaled_dot_product_attention_math(
      a[0].toTensor(), a[1].toTensor(), a[2].toTensor(), maybe(a[3]), a[4].toDouble(),
      a[5].toBool(), std::nullopt, scale, a[7].toBool())));
  return true;
}

const std::unordered_map<std::string, Rule>& rules() {
  static const std::unordered_map<std::string, Rule> table = {
      {"aten::_softmax", softmax},
      {"aten::_log_softmax", log_softmax},
      {"aten::logsumexp", logsumexp},
      {"aten::native_layer_norm", native_layer_norm},
      {"aten::native_group_norm", native_group_norm},
      {"aten::native_batch_norm", native_batch_norm},
      {"aten::_native_batch_norm_legit", native_batch_norm},
      {"aten::var.correction", variance},
      {"aten::std.correction", deviation},
      {"aten::linalg_vector_norm", vector_norm},
      {"aten::norm.Scalar", norm_of_all},
      {"aten::norm.ScalarOpt_dim", norm_over_dims},
      {"aten::_cdist_forward", distances},
      {"aten::mse_loss", mse_loss},
      {"aten::smooth_l1_loss", smooth_l1_loss},
      {"aten::huber_loss", huber_loss},
      {"aten::binary_cross_entropy", binary_cross_entropy},
      {"aten::binary_cross_entropy_with_logits", binary_cross_entropy_with_logits},
      {"aten::gelu", gelu},
      {"aten::softplus", softplus},
      {"aten::mish", mish},
      {"aten::elu", elu},
      {"aten::expm1", expm1},
      {"aten::log1p", log1p},
      {"aten::log_sigmoid_forward", log_sigmoid_forward},
      {"aten::scaled_dot_product_attention", attention},
  };
  return table;
}

std::string full_name(const c10::OperatorHandle& op) {
  const auto& name = op.operator_name();
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

}  // namespace

bool lower(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const auto rule = rules().find(full_name(op));
  if (rule == rules().end()) return false;
  const std::size_t count = op.schema().arguments().size();
  const torch::jit::Stack arguments(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
  torch::jit::Stack results;
  if (!rule->second(arguments, results)) return false;
  torch::jit::drop(stack, count);
  for (IValue& result : results) stack.push_back(std::move(result));
  return true;
}

}  // namespace kvgen::referee
