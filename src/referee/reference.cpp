#include "referee/reference.h"

#include <torch/headeronly/version.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "kvgen/base/hash.h"
#include "referee/inputs.h"
#include "referee/limit.h"
#include "referee/model.h"

namespace kvgen::referee {
namespace {

constexpr std::int64_t kCacheIfUnknown = 64LL << 20;

std::int64_t nanoseconds_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                              start)
      .count();
}

// Writes twice the last-level cache, then reads another buffer.
class CacheFlush {
 public:
  CacheFlush() {
    const long cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    const auto bytes = static_cast<std::size_t>(2 * (cache > 0 ? cache : kCacheIfUnknown));
    written_.resize(bytes);
    read_.resize(bytes, 1);
  }
  void operator()() {
    ++value_;
    std::memset(written_.data(), value_, written_.size());
    volatile unsigned char* sink = read_.data();
    for (std::size_t i = 0; i < read_.size(); i += 64) (void)sink[i];
  }

 private:
  std::vector<unsigned char> written_;
  std::vector<unsigned char> read_;
  unsigned char value_ = 0;
};

class Cores {
 public:
  explicit Cores(int cores) : before_(at::get_num_threads()) {
    const int all = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    at::set_num_threads(cores > 0 ? std::min(cores, all) : all);
  }
  ~Cores() { at::set_num_threads(before_); }
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;

 private:
  int before_;
};

void copy_into(const at::Tensor& tensor, std::span<std::byte> place) {
  if (!place.empty()) std::memcpy(place.data(), tensor.const_data_ptr(), place.size());
}

Result<void> check_outputs(const Graph& graph, const std::vector<at::Tensor>& outputs) {
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const TensorSpec& spec = graph.outputs[i].spec;
    if (outputs[i].sizes() != at::IntArrayRef(spec.shape) ||
        outputs[i].scalar_type() != scalar_type(spec.dtype)) {
      return Error(Code::kInvalid, "the graph gives " + spec.name + " another shape or type than " +
                                       to_text(spec.shape) + " " +
                                       std::string(to_string(spec.dtype)));
    }
    if (size_of(spec.dtype) == 1 && is_floating(spec.dtype)) {
      return Error(Code::kInvalid, spec.name + ": float8 outputs cannot be judged");
    }
  }
  return ok();
}

class TorchReference final : public Reference {
 public:
  TorchReference(const Variant& variant, Model model, std::vector<at::Tensor> inputs,
                 std::uint64_t draw_seed)
      : graph_(variant.graph),
        model_(std::move(model)),
        inputs_(std::move(inputs)),
        draw_seed_(draw_seed) {
    for (const TensorSpec& spec : variant.tensors()) {
      (spec.written() ? output_specs_ : input_specs_).push_back(spec);
    }
  }

  Result<std::vector<at::Tensor>> run_eager() {
    std::vector<at::Tensor> outputs;
    TRY(outputs, model_.run(inputs_, draw_seed_));
    TRY_VOID(check_outputs(graph_, outputs));
    TRY(one_run_ns_, time(1, false, 0));
    return outputs;
  }
  void expect(std::vector<ExpectedOutput> expected) { expected_ = std::move(expected); }

  const std::vector<ExpectedOutput>& expected() const override { return expected_; }
  std::vector<TensorSpec> input_specs() const override { return input_specs_; }
  std::vector<TensorSpec> output_specs() const override { return output_specs_; }

  void write_inputs(const Arena& arena) const override {
    for (const ArenaTensor& place : arena.layout().tensors) {
      copy_into(*find(place.spec.name), arena.data(place));
    }
  }

  void write_in_place(const Arena& arena) const override {
    for (const ArenaTensor& place : arena.layout().tensors) {
      if (place.spec.role != TensorRole::kInPlace) continue;
      copy_into(*find(source_of(place.spec)), arena.data(place));
    }
  }

  Result<void> check_in_place() const {
    for (const TensorSpec& spec : output_specs_) {
      if (spec.role != TensorRole::kInPlace) continue;
      const at::Tensor* source = find(source_of(spec));
      const bool fits = source != nullptr && source->sizes() == at::IntArrayRef(spec.shape) &&
                        source->scalar_type() == scalar_type(spec.dtype);
      if (!fits) return Error(Code::kInvalid, spec.name + " is no updated input of this graph");
    }
    return ok();
  }

  Result<std::int64_t> time(int runs, bool cold, int cores) const override {
    const Cores use(cores);
    std::optional<CacheFlush> flush;
    if (cold) flush.emplace();
    std::int64_t total = 0;
    for (int i = 0; i < runs; ++i) {
      std::vector<at::Tensor> fresh = inputs_;
      if (flush) (*flush)();
      Result<std::vector<at::Tensor>> result = std::vector<at::Tensor>();
      total += nanoseconds_of([&] { result = model_.run(fresh, draw_seed_); });
      if (!result.ok()) return std::move(result).error();
    }
    return total;
  }
  std::int64_t one_run_ns() const override { return one_run_ns_; }

  std::int64_t held_bytes() const override {
    std::int64_t bytes = 0;
    for (const TensorSpec& spec : input_specs_) bytes += spec.bytes();
    for (const ExpectedOutput& expected : expected_) {
      const std::int64_t count = numel(expected.spec.shape);
      bytes += count * (expected.floating() ? 16 : 8);
      bytes += count * 8 * static_cast<std::int64_t>(expected.alternatives.size());
      if (expected.choice) bytes += static_cast<std::int64_t>(expected.choice->values.size()) * 12;
    }
    return bytes;
  }

 private:
  static std::string source_of(const TensorSpec& spec) {
    const std::string suffix = ".out";
    return spec.name.ends_with(suffix) ? spec.name.substr(0, spec.name.size() - suffix.size())
                                       : spec.name;
  }
  const at::Tensor* find(const std::string& name) const {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      if (graph_.inputs[i].spec.name == name) return &inputs_[i];
    }
    return nullptr;
  }

  Graph graph_;
  Model model_;
  std::vector<at::Tensor> inputs_;
  std::uint64_t draw_seed_;
  std::vector<TensorSpec> input_specs_;
  std::vector<TensorSpec> output_specs_;
  std::vector<ExpectedOutput> expected_;
  std::int64_t one_run_ns_ = 0;
};

bool loses_finiteness(const at::Tensor& recorded, const at::Tensor& now) {
  if (!recorded.is_floating_point()) return false;
  return at::isfinite(recorded).logical_and(at::isfinite(now).logical_not()).any().item<bool>();
}

}  // namespace

Result<std::unique_ptr<Reference>> Reference::open(const Variant& variant, std::uint64_t seed,
                                                   const std::string& distribution) {
  const c10::InferenceMode inference;
  TRY_VOID(check_distribution(distribution));
  const std::uint64_t draws = seed_from(std::to_string(seed) + ":graph");
  TRY(Model model, Model::make(variant, Precision::kRecorded));
  TRY(auto inputs, make_inputs(variant, seed, distribution));
  auto reference = std::make_unique<TorchReference>(variant, std::move(model), inputs, draws);
  TRY_VOID(reference->check_in_place());
  TRY(const auto eager, reference->run_eager());
  if (distribution != "recorded") {
    TRY(const auto usual, make_inputs(variant, seed, "recorded"));
    TRY(const Model again, Model::make(variant, Precision::kRecorded));
    TRY(const auto recorded, again.run(usual, draws));
    for (std::size_t i = 0; i < eager.size(); ++i) {
      if (loses_finiteness(recorded[i], eager[i])) {
        return Error(Code::kInvalid, "the distribution \"" + distribution +
                                         "\" is not admissible: the reference is not finite where "
                                         "it is on recorded inputs");
      }
    }
  }
  TRY(auto expected, derive_expected(variant, inputs, eager, draws));
  reference->expect(std::move(expected));
  return std::unique_ptr<Reference>(std::move(reference));
}

std::string torch_version() {
  return std::to_string(TORCH_VERSION_MAJOR) + "." + std::to_string(TORCH_VERSION_MINOR) + "." +
         std::to_string(TORCH_VERSION_PATCH);
}

}  // namespace kvgen::referee
