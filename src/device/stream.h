#pragma once

#include <cstdint>
#include <vector>

#include "kvgen/plan/resolved.h"

namespace kvgen {

// Arguments of one launch, bound: argument i is 8 bytes, a device address or a
// scalar's bytes, low end first. `plan` outlives it.
struct BoundLaunch {
  const ResolvedLaunch* plan = nullptr;
  std::vector<unsigned long long> arguments;
};
struct BoundFill {
  std::uint64_t to = 0;  // device address
  std::int64_t bytes = 0;
  int element_bytes = 4;
  std::uint64_t bits = 0;
};
struct BoundCopy {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::int64_t bytes = 0;
};
using BoundStep = std::variant<BoundLaunch, BoundFill, BoundCopy>;

// Where tensors and plan buffers lie on a device; indices as in ResolvedPlace.
struct DeviceAddresses {
  std::vector<std::uint64_t> inputs;
  std::vector<std::uint64_t> outputs;
  std::vector<std::uint64_t> buffers;
};

// Work on a device, in order. A failing kernel is the device's to tell.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual void launch(const BoundLaunch& launch) = 0;
  virtual void fill(const BoundFill& fill) = 0;
  virtual void copy(const BoundCopy& copy) = 0;
  virtual void wait() = 0;  // until all of it is done
};

std::vector<BoundStep> bind_steps(const std::vector<ResolvedStep>& steps,
                                  const DeviceAddresses& addresses);

// Issues the steps; does not wait.
void issue(const std::vector<BoundStep>& steps, Stream& stream);

// Refuses a plan that names a tensor that is not there, writes an input, or goes past the
// end of a tensor (kInvalid): the plan is ours, so this is no fault of the candidate.
struct ArenaLayout;
Result<void> check_bounds(const ResolvedPlan& plan, const ArenaLayout& inputs,
                          const ArenaLayout& outputs);

}  // namespace kvgen
