#include "referee/inputs.h"

#include <openssl/evp.h>

#include <array>
#include <cmath>

#include "kvgen/base/hash.h"

namespace kvgen::referee {
namespace {

constexpr std::int64_t kConstantBytesLimit = 64LL << 20;

struct Shaped {
  std::string_view name;
  double mean;
  double deviation;
  double step;   // values are multiples of it; 0: any
  double bound;  // and at most this far from 0
};
constexpr std::array<Shaped, 5> kShaped = {{
    {"normal", 0, 1, 0, 0},
    {"shifted", 3, 1, 0, 0},
    {"scaled", 0, 32, 0, 0},  // beyond what expf of float32 takes
    {"low_variance", 1, 0.01, 0, 0},
    {"coarse", 0, 1, 0.25, 2},  // equal values in every row, the largest among them
}};

Result<at::Tensor> constant_of(const InitProgram::Constant& constant, const std::string& where) {
  const std::int64_t bytes = numel(constant.shape) * size_of(constant.dtype);
  const std::size_t blocks = constant.base64.size() / 4;
  const bool fits = numel(constant.shape) >= 0 && bytes <= kConstantBytesLimit &&
                    constant.base64.size() % 4 == 0 &&
                    static_cast<std::int64_t>(blocks * 3) >= bytes &&
                    static_cast<std::int64_t>(blocks * 3) <= bytes + 2;
  std::vector<unsigned char> decoded(blocks * 3 + 1);
  const bool valid =
      fits && EVP_DecodeBlock(decoded.data(),
                              reinterpret_cast<const unsigned char*>(constant.base64.data()),
                              static_cast<int>(constant.base64.size())) >= 0;
  if (!valid) return Error(Code::kInvalid, where + ": a constant does not fit its shape");
  at::Tensor tensor = at::zeros(constant.shape, at::dtype(scalar_type(constant.dtype)));
  if (bytes > 0)
    std::memcpy(tensor.mutable_data_ptr(), decoded.data(), static_cast<std::size_t>(bytes));
  return tensor;
}

bool constant_valued(const at::Tensor& tensor) {
  return tensor.numel() > 0 && at::min(tensor).item<double>() == at::max(tensor).item<double>() &&
         std::isfinite(tensor.reshape({-1})[0].item<double>());
}

// Keeps signs: a variance stays positive.
at::Tensor moved(const at::Tensor& tensor) {
  const double value = tensor.reshape({-1})[0].item<double>();
  const at::Tensor x = at::rand(tensor.sizes()).mul(2).sub(1);
  const at::Tensor away = std::abs(value) > 1e-3 ? x.mul(0.3 * value) : x.mul(0.3);
  return at::add(tensor.to(at::kFloat), away).to(tensor.scalar_type());
}

bool learnt(TensorRole role) {
  return role == TensorRole::kParameter || role == TensorRole::kBuffer;
}

}  // namespace

Result<void> check_distribution(const std::string& distribution) {
  if (distribution == "recorded") return ok();
  for (const Shaped& shaped : kShaped) {
    if (shaped.name == distribution) return ok();
  }
  return Error(Code::kUsage, "unknown distribution \"" + distribution +
                                 "\": recorded, normal, shifted, scaled, low_variance or coarse");
}

Result<std::map<std::string, at::Tensor>> replay(const InitProgram& program, std::uint64_t seed,
                                                 const std::string& where) {
  std::vector<ValueId> given;
  std::vector<ValueId> kept;
  for (const auto& constant : program.constants) given.push_back(constant.value);
  for (const auto& made : program.made) kept.push_back(made.value);
  TRY(const Program compiled, compile(program.nodes, given, kept, Precision::kRecorded, where));
  Values values(compiled.slots);
  for (const auto& constant : program.constants) {
    TRY(values.at(static_cast<std::size_t>(constant.value.id)), constant_of(constant, where));
  }
  at::manual_seed(seed);
  TRY_VOID(execute(compiled, values));
  std::map<std::string, at::Tensor> made;
  for (const auto& item : program.made) {
    made[item.name] = values.at(static_cast<std::size_t>(item.value.id));
  }
  return made;
}

Result<std::vector<at::Tensor>> make_inputs(const Variant& variant, std::uint64_t seed,
                                            const std::string& distribution) {
  const c10::InferenceMode inference(false);
  const at::NoGradGuard no_grad;
  const std::string where = "variant " + variant.name;
  const auto stream = [&](std::string_view name) {
    return seed_from(std::to_string(seed) + ":" + std::string(name));
  };
  return guarded(where, [&]() -> Result<std::vector<at::Tensor>> {
    TRY(auto made, replay(variant.init, stream("init"), where + ".init"));
    TRY(auto inputs, replay(variant.inputs, stream("inputs"), where + ".inputs"));
    made.merge(inputs);
    at::manual_seed(stream("distribution"));
    std::vector<at::Tensor> tensors;
    for (const GraphInput& input : variant.graph.inputs) {
      const TensorSpec& spec = input.spec;
      const auto found = made.find(spec.name);
      if (found == made.end()) {
        return Error(Code::kInvalid, where + ": nothing makes the tensor " + spec.name);
      }
      at::Tensor tensor = found->second;
      if (!tensor.defined() || tensor.sizes() != at::IntArrayRef(spec.shape) ||
          tensor.scalar_type() != scalar_type(spec.dtype)) {
        return Error(Code::kInvalid, where + ": " + spec.name +
                                         " is made with another shape or "
                                         "type than " +
                                         to_text(spec.shape));
      }
      tensor = tensor.clone(at::MemoryFormat::Contiguous);
      if (learnt(spec.role) && tensor.is_floating_point() && constant_valued(tensor)) {
        tensor = moved(tensor);
      }
      for (const Shaped& shaped : kShaped) {
        if (shaped.name != distribution || spec.role != TensorRole::kInput) continue;
        if (!tensor.is_floating_point()) continue;
        at::Tensor drawn = at::randn(spec.shape).mul(shaped.deviation).add(shaped.mean);
        if (shaped.step > 0) {
          drawn =
              drawn.div(shaped.step).round().mul(shaped.step).clamp(-shaped.bound, shaped.bound);
        }
        tensor = drawn.to(tensor.scalar_type());
      }
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  });
}

}  // namespace kvgen::referee
