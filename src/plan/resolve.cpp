#include "kvgen/plan/resolve.h"

#include <algorithm>
#include <array>
#include <map>

#include "plan/evaluate.h"
#include "plan/names.h"
#include "plan/scalar.h"
#include "plan/text.h"

namespace kvgen {
namespace {

using Space = ResolvedPlace::Space;

constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostVisits = 262'144;  // of steps, those skipped included

constexpr std::int64_t kLargestLds = 160 << 10;

// A tensor or plan buffer as the steps use it.
struct Storage {
  Named named;
  DType dtype = DType::kFloat32;
  std::int64_t count = 0;  // elements
  ResolvedPlace start;
  bool readable = true;  // holds something that may be read
};

// Expands steps into numbers. The first fault ends it.
class Resolver {
 public:
  Resolver(const Names& names, const Build& build, const DeviceLimits& limits)
      : names_(names), build_(build), limits_(limits), evaluator_(names, limits) {}

  Checked<ResolvedPlan> resolve() {
    if (!add_buffers()) return std::move(*outcome_);
    add_tensors();
    steps(names_.plan().prepare, plan_.prepare);
    // Only what `prepare` kept survives into a run.
    for (auto& [name, storage] : storage_) {
      const bool buffer = storage.named.kind == Named::Kind::kBuffer;
      if (buffer && !names_.plan().buffers[index(storage.named)].keep) storage.readable = false;
    }
    steps(names_.plan().run, plan_.run);
    if (outcome_) return std::move(*outcome_);
    return std::move(plan_);
  }

 private:
  static std::size_t index(const Named& named) { return static_cast<std::size_t>(named.index); }

  bool fail(std::string place, std::string message) {
    if (!outcome_) outcome_ = bad_plan({std::move(place), std::move(message), ""});
    return false;
  }

  bool integer(const Expression& expression, const std::string& place, std::int64_t& value) {
    auto result = evaluator_.integer(expression, place);
    if (!result.ok()) {
      if (!outcome_) outcome_ = std::move(result).outcome();
      return false;
    }
    value = *result;
    return true;
  }

  // ---- storage ----

  bool add_buffers() {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < names_.plan().buffers.size(); ++i) {
      const PlanBuffer& buffer = names_.plan().buffers[i];
      const auto& shape = evaluator_.buffer_shape(static_cast<int>(i));
      if (!shape.ok()) {
        outcome_ = shape.outcome();
        return false;
      }
      Storage storage;
      storage.named = {Named::Kind::kBuffer, static_cast<int>(i)};
      storage.dtype = buffer.dtype;
      storage.count = numel(*shape);
      storage.start = {Space::kBuffer, static_cast<int>(i), 0};
      storage.readable = false;
      const std::int64_t bytes = storage.count * size_of(buffer.dtype);
      if (bytes > limits_.buffer_bytes || (total += bytes) > limits_.buffer_bytes) {
        return fail("buffers." + buffer.name, "the plan's buffers need more than the " +
                                                  std::to_string(limits_.buffer_bytes) +
                                                  " bytes there are for them: " + to_text(*shape));
      }
      plan_.buffers.push_back({buffer.name, buffer.dtype, bytes, buffer.keep});
      storage_.emplace(buffer.name, storage);
    }
    return true;
  }

  void add_tensors() {
    int inputs = 0;
    int outputs = 0;
    for (std::size_t i = 0; i < names_.tensors().size(); ++i) {
      const TensorSpec& spec = names_.tensors()[i];
      Storage storage;
      storage.named = {Named::Kind::kTensor, static_cast<int>(i)};
      storage.dtype = spec.dtype;
      storage.count = numel(spec.shape);
      storage.start.space = spec.written() ? Space::kOutput : Space::kInput;
      storage.start.index = spec.written() ? outputs++ : inputs++;
      storage.readable = spec.role != TensorRole::kOutput;
      storage_.emplace(spec.name, storage);
    }
  }

  struct Located {
    Storage* storage = nullptr;
    ResolvedPlace place;
    std::int64_t offset = 0;  // elements
  };

  bool locate(const PlanPlace& wanted, const std::string& place, Located& out) {
    const auto found = storage_.find(wanted.tensor);
    if (found == storage_.end()) return fail(place, "unknown tensor " + quote(wanted.tensor));
    out.storage = &found->second;
    if (wanted.offset) {
      const std::string here = place + ".offset";
      if (!integer(*wanted.offset, here, out.offset)) return false;
      if (out.offset < 0 || out.offset > out.storage->count) {
        return fail(here, std::to_string(out.offset) + " is outside " + quote(wanted.tensor) +
                              ", which has " + std::to_string(out.storage->count) + " elements");
      }
    }
    out.place = out.storage->start;
    out.place.byte_offset = out.offset * size_of(out.storage->dtype);
    return true;
  }

  bool read(const Located& from, const std::string& name, const std::string& place) {
    if (from.storage->readable || from.storage->count == 0) return true;
    const bool buffer = from.storage->named.kind == Named::Kind::kBuffer;
    const bool keep = buffer && names_.plan().buffers[index(from.storage->named)].keep;
    return fail(place, quote(name) + " is read before " +
                           (keep ? "prepare wrote it" : "any earlier step wrote it"));
  }

  // ---- steps ----

  void steps(const std::vector<PlanStep>& list, std::vector<ResolvedStep>& out) {
    for (const PlanStep& step : list) {
      if (outcome_) return;
      if (++visits_ > kMostVisits) {
        fail(step.place,
             "the plan goes through more than " + std::to_string(kMostVisits) + " steps");
        return;
      }
      std::int64_t when = 1;
      if (step.when && (!integer(*step.when, step.place + ".when", when) || when == 0)) continue;
      if (const auto* repeat = std::get_if<PlanRepeat>(&step.what)) {
        expand(*repeat, step.place, out);
        continue;
      }
      ResolvedStep resolved;
      resolved.place = step.place;
      if (const auto* launch = std::get_if<PlanLaunch>(&step.what)) {
        ResolvedLaunch numbers;
        if (!resolve_launch(*launch, step.place, numbers)) continue;
        resolved.what = std::move(numbers);
      } else if (const auto* fill = std::get_if<PlanFill>(&step.what)) {
        ResolvedFill numbers;
        if (!resolve_fill(*fill, step.place, numbers) || numbers.bytes == 0) continue;
        resolved.what = numbers;
      } else {
        ResolvedCopy numbers;
        if (!resolve_copy(std::get<PlanCopy>(step.what), step.place, numbers)) continue;
        if (numbers.bytes == 0) continue;
        resolved.what = numbers;
      }
      if (++launches_ > PlanLimits::kLaunches) {
        fail(step.place, "the plan expands to more than " + std::to_string(PlanLimits::kLaunches) +
                             " launches, fills and copies");
        return;
      }
      out.push_back(std::move(resolved));
    }
  }

  void expand(const PlanRepeat& repeat, const std::string& place, std::vector<ResolvedStep>& out) {
    std::int64_t count = 0;
    if (!integer(repeat.count, place + ".repeat", count)) return;
    if (count < 0) {
      fail(place + ".repeat", "is negative: " + std::to_string(count));
      return;
    }
    if (!repeat.as.empty()) evaluator_.push_counter(repeat.as, 0);
    for (std::int64_t i = 0; i < count && !outcome_; ++i) {
      if (!repeat.as.empty()) evaluator_.set_counter(i);
      steps(repeat.steps, out);
    }
    if (!repeat.as.empty()) evaluator_.pop_counter();
  }

  // False: skipped or failed.
  bool resolve_launch(const PlanLaunch& launch, const std::string& place, ResolvedLaunch& out) {
    const KernelInfo* kernel = build_.kernel(launch.kernel);
    if (kernel == nullptr) return fail(place + ".kernel", "no kernel " + quote(launch.kernel));
    out.symbol = kernel->symbol;
    out.name = launch.kernel;
    bool empty = false;
    if (!extents(launch, *kernel, place, out, empty)) return false;
    if (!shared_memory(launch, *kernel, place, out)) return false;
    // Reads come before writes: the kernel may do both to one tensor.
    std::vector<Storage*> written;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      if (!resolve_argument(launch.arguments[i], kernel->parameters[i],
                            at_index(place + ".args", i), out, written)) {
        return false;
      }
    }
    for (Storage* storage : written) storage->readable = true;
    return !empty;
  }

  bool extents(const PlanLaunch& launch, const KernelInfo& kernel, const std::string& place,
               ResolvedLaunch& out, bool& empty) {
    constexpr std::array<std::int64_t, 3> kMostBlocks = {0x7fff'ffff, 65'535, 65'535};
    std::int64_t threads = 1;
    for (std::size_t i = 0; i < launch.block.size(); ++i) {
      const std::string here = at_index(place + ".block", i);
      if (!integer(launch.block[i], here, out.block[i])) return false;
      const std::int64_t extent = out.block[i];
      if (extent < 1 || extent > kMostThreads || (threads *= extent) > kMostThreads) {
        return fail(here,
                    extent < 1 || extent > kMostThreads
                        ? std::to_string(extent) + " threads: a block has 1 to 1024"
                        : "the block has " + std::to_string(threads) + " threads; at most 1024");
      }
    }
    if (kernel.launch_bound > 0 && threads > kernel.launch_bound) {
      return fail(place + ".block", std::to_string(threads) + " threads; __launch_bounds__ of " +
                                        quote(kernel.expression) + " says " +
                                        std::to_string(kernel.launch_bound));
    }
    for (std::size_t i = 0; i < launch.grid.size(); ++i) {
      const std::string here = at_index(place + ".grid", i);
      if (!integer(launch.grid[i], here, out.grid[i])) return false;
      const std::int64_t extent = out.grid[i];
      if (extent < 0) return fail(here, "is negative: " + std::to_string(extent));
      if (extent > kMostBlocks[i]) {
        return fail(here, std::to_string(extent) + " blocks; at most " +
                              std::to_string(kMostBlocks[i]) + " in this dimension");
      }
      if (extent * out.block[i] > 0xffff'ffff) {
        return fail(here, std::to_string(extent * out.block[i]) +
                              " threads in this dimension; fewer than 2^32 are possible");
      }
      empty = empty || extent == 0;
    }
    return true;
  }

  bool shared_memory(const PlanLaunch& launch, const KernelInfo& kernel, const std::string& place,
                     ResolvedLaunch& out) {
    const std::string here = place + (launch.shared ? ".shared" : ".kernel");
    if (launch.shared && !integer(*launch.shared, here, out.dynamic_lds)) return false;
    if (out.dynamic_lds < 0) return fail(here, "is negative: " + std::to_string(out.dynamic_lds));
    std::int64_t bytes = 0;
    const bool overflow = __builtin_add_overflow(out.dynamic_lds, kernel.static_lds, &bytes);
    if (!overflow && bytes <= limits_.lds_bytes) return true;
    const std::string needs = quote(kernel.expression) + " needs " +
                              std::to_string(out.dynamic_lds) + " bytes of dynamic LDS and " +
                              std::to_string(kernel.static_lds) + " static";
    if (overflow || bytes > kLargestLds) {
      return fail(here, needs + "; no architecture has more than " + std::to_string(kLargestLds));
    }
    outcome_ = Outcome{OutcomeKind::kNotJudgedHere,
                       Stage::kPlan,
                       "not for " + limits_.target + ": " + here + ": " + needs + "; it has " +
                           std::to_string(limits_.lds_bytes),
                       {{"place", here}, {"lds_bytes", bytes}}};
    return false;
  }

  bool resolve_argument(const PlanArgument& argument, const KernelParameter& parameter,
                        const std::string& place, ResolvedLaunch& out,
                        std::vector<Storage*>& written) {
    if (const auto* tensor = std::get_if<PlanPlace>(&argument)) {
      return pass_tensor(*tensor, parameter, place, out, written);
    }
    if (const auto* pick = std::get_if<PlanPick>(&argument)) {
      std::int64_t which = 0;
      if (!integer(pick->pick, place + ".pick", which)) return false;
      if (which < 0 || which >= static_cast<std::int64_t>(pick->of.size())) {
        return fail(place + ".pick",
                    std::to_string(which) + " picks none of " + std::to_string(pick->of.size()));
      }
      const auto at = static_cast<std::size_t>(which);
      return pass_tensor(pick->of[at], parameter, at_index(place + ".of", at), out, written);
    }
    const auto& scalar = std::get<PlanScalar>(argument);
    const std::string name(scalar.value.lone_name());
    if (!scalar.kind && storage_.contains(name)) {
      return pass_tensor({name, std::nullopt}, parameter, place, out, written);
    }
    return pass_number(scalar, parameter, place, out);
  }

  bool pass_tensor(const PlanPlace& tensor, const KernelParameter& parameter,
                   const std::string& place, ResolvedLaunch& out, std::vector<Storage*>& written) {
    Located located;
    if (!locate(tensor, place, located)) return false;
    // A vector type is aligned to its size; bases are aligned to 16 bytes.
    const int vector_bytes = parameter.element_bytes * parameter.components;
    const bool aligned_type = parameter.components == 2 || parameter.components == 4;
    if (aligned_type && located.place.byte_offset % std::min(vector_bytes, 16) != 0) {
      return fail(place + ".offset", std::to_string(located.offset) +
                                         " elements are not aligned to " + quote(parameter.type));
    }
    if (parameter.to_const) {
      if (!read(located, tensor.tensor, place)) return false;
    } else {
      written.push_back(located.storage);
    }
    out.arguments.emplace_back(located.place);
    return true;
  }

  bool pass_number(const PlanScalar& scalar, const KernelParameter& parameter,
                   const std::string& place, ResolvedLaunch& out) {
    const auto target = dtype_of(parameter);
    const bool real = scalar.kind ? is_floating(*scalar.kind) : target && is_floating(*target);
    PlanNumber number;
    if (real) {
      auto result = evaluator_.real(scalar.value, place);
      if (!result.ok()) {
        if (!outcome_) outcome_ = std::move(result).outcome();
        return false;
      }
      number = *result;
    } else {
      std::int64_t value = 0;
      if (!integer(scalar.value, place, value)) return false;
      number.value = value;
    }
    const Encoded encoded = encode_scalar(number, scalar.kind, parameter);
    if (!encoded.problem.empty()) return fail(place, encoded.problem);
    out.arguments.emplace_back(ResolvedScalar{parameter.element_bytes, encoded.bits});
    return true;
  }

  bool resolve_fill(const PlanFill& fill, const std::string& place, ResolvedFill& out) {
    Located to;
    if (!locate(fill.to, place + ".fill", to)) return false;
    const DType dtype = to.storage->dtype;
    const std::string here = place + ".value";
    Encoded encoded;
    if (const auto* infinity = std::get_if<double>(&fill.value)) {
      encoded = encode_real(*infinity, dtype);
    } else if (is_floating(dtype)) {
      auto value = evaluator_.real(std::get<Expression>(fill.value), here);
      if (!value.ok()) {
        if (!outcome_) outcome_ = std::move(value).outcome();
        return false;
      }
      encoded = encode_real(value->as_real(), dtype);
    } else {
      std::int64_t value = 0;
      if (!integer(std::get<Expression>(fill.value), here, value)) return false;
      encoded = encode_integer(value, dtype);
    }
    if (!encoded.problem.empty()) return fail(here, encoded.problem);
    out = {to.place, (to.storage->count - to.offset) * size_of(dtype), size_of(dtype),
           encoded.bits};
    to.storage->readable = true;
    return true;
  }

  bool resolve_copy(const PlanCopy& copy, const std::string& place, ResolvedCopy& out) {
    Located from;
    Located to;
    if (!locate(copy.from, place + ".copy", from) || !locate(copy.to, place + ".to", to)) {
      return false;
    }
    std::int64_t count = from.storage->count;
    if (copy.count) {
      const std::string here = place + ".count";
      if (!integer(*copy.count, here, count)) return false;
      if (count < 0) return fail(here, "is negative: " + std::to_string(count));
      if (count > from.storage->count - from.offset || count > to.storage->count - to.offset) {
        return fail(here, std::to_string(count) + " elements go beyond " +
                              quote(count > to.storage->count - to.offset ? copy.to.tensor
                                                                          : copy.from.tensor));
      }
    } else if (count != to.storage->count) {
      return fail(place, "copies " + std::to_string(count) + " elements to the " +
                             std::to_string(to.storage->count) + " of " + quote(copy.to.tensor));
    }
    const bool same = from.storage == to.storage;
    if (same && std::max(from.offset, to.offset) < std::min(from.offset, to.offset) + count) {
      return fail(place, "the ranges of the copy overlap");
    }
    if (!read(from, copy.from.tensor, place + ".copy")) return false;
    out = {from.place, to.place, count * size_of(from.storage->dtype)};
    to.storage->readable = true;
    return true;
  }

  const Names& names_;
  const Build& build_;
  const DeviceLimits& limits_;
  Evaluator evaluator_;
  std::map<std::string, Storage, std::less<>> storage_;
  ResolvedPlan plan_;
  std::optional<Outcome> outcome_;
  std::int64_t visits_ = 0;
  int launches_ = 0;
};

}  // namespace

Checked<ResolvedPlan> resolve(const Plan& plan, const Variant& variant, const Build& build,
                              const DeviceLimits& limits) {
  if (auto outcome = check_names(plan, variant)) return std::move(*outcome);
  if (auto outcome = check_signatures(plan, variant, build)) return std::move(*outcome);
  const Names names(plan, variant);
  return Resolver(names, build, limits).resolve();
}

}  // namespace kvgen
