#pragma once

#include <cstdint>
#include <vector>

#include "referee/torch.h"

namespace kvgen::referee {

// Moves every result of a float64 run within the rounding that a kernel in the
// recorded type may make: what the limit of a comparison is derived from.
//
// A boxed fallback on a dispatch key of torch's test mode sees each call that a
// composite operator makes. Operators that fuse several roundings are
// re-expressed (referee/lowering.h). What is left is a leaf: its result is
// scaled by 1 + 4u x (8u for functions such as erf, which libraries compute to a
// few ulp), and a sum of n terms also moves by 1.5 sqrt(n) u S x, with
// S the same operator on absolute values, u the unit round-off of the node's
// recorded type, x between 1/2 and 1 in size (random.h) and new for each element, leaf
// and pair of runs. The second run of a pair moves everything the other way: a value just
// beside a step, such as round's, is seen on both sides of it.
//
// One run after another with the same program; not thread-safe.
class Noise {
 public:
  explicit Noise(std::uint64_t seed);

  // Later runs reuse the sums of absolute values that the first one made.
  void begin_run(int run);

  void call(const c10::OperatorHandle& op, double unit, torch::jit::Stack& stack);

  // Copies moved as by a rounding to a type of this unit: inputs, narrowing casts.
  at::Tensor rounded(const at::Tensor& tensor, double unit);

  // Leaves moved in this run. 0: the whole graph only copies and chooses.
  [[nodiscard]] std::int64_t moved() const { return moved_; }
  // Elements of all leaves of this run: what a run costs.
  [[nodiscard]] std::int64_t elements() const { return elements_; }
  // Multiplications in sums, about, of the first run.
  [[nodiscard]] double products() const { return products_; }

 private:
  friend struct NoiseMode;
  void leaf(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  at::Tensor sum_bound(const c10::OperatorHandle& op, const torch::jit::Stack& arguments);
  void move(at::Tensor& out, const at::Tensor& bound, double scale);

  std::uint64_t seed_;
  std::uint64_t run_key_ = 0;
  double side_ = 1;
  std::uint64_t draws_ = 0;
  double unit_ = 0;
  bool first_run_ = true;
  std::size_t next_leaf_ = 0;
  std::vector<at::Tensor> bounds_;  // by leaf; undefined: none, or too large to keep
  std::int64_t kept_bytes_ = 0;
  std::int64_t moved_ = 0;
  std::int64_t elements_ = 0;
  double products_ = 0;
};

}  // namespace kvgen::referee
