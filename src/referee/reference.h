#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/task.h"
#include "kvgen/worker/arena.h"
#include "referee/expected.h"

namespace kvgen::referee {

// A variant with inputs drawn and results known. Knows libtorch; its users do not.
class Reference {
 public:
  // kInvalid names a hostile or unfit bundle, and a distribution under which the
  // reference is not finite where it is under the recorded one.
  static Result<std::unique_ptr<Reference>> open(const Variant& variant, std::uint64_t seed,
                                                 const std::string& distribution);
  virtual ~Reference() = default;

  [[nodiscard]] virtual const std::vector<ExpectedOutput>& expected() const = 0;

  // What the arenas hold, in the order of Variant::tensors().
  [[nodiscard]] virtual std::vector<TensorSpec> input_specs() const = 0;
  [[nodiscard]] virtual std::vector<TensorSpec> output_specs() const = 0;
  virtual void write_inputs(const Arena& arena) const = 0;
  // Copies NAME into each NAME.out of an outputs arena.
  virtual void write_in_place(const Arena& arena) const = 0;

  // Wall nanoseconds of `runs` eager runs together; inputs are restored and, if
  // `cold`, caches flushed before each, outside the time. cores 0: all.
  virtual Result<std::int64_t> time(int runs, bool cold, int cores) const = 0;
  [[nodiscard]] virtual std::int64_t one_run_ns() const = 0;

  [[nodiscard]] virtual std::int64_t held_bytes() const = 0;
};

// "2.13.0"
std::string torch_version();

}  // namespace kvgen::referee
