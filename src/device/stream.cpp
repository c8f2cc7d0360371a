#include "device/stream.h"

#include <string>

#include "kvgen/worker/arena.h"

namespace kvgen {
namespace {

using Space = ResolvedPlace::Space;

class Bounds {
 public:
  Bounds(const ResolvedPlan& plan, const ArenaLayout& inputs, const ArenaLayout& outputs)
      : plan_(plan), inputs_(inputs), outputs_(outputs) {}

  Result<void> check(const std::vector<ResolvedStep>& steps) const {
    for (const ResolvedStep& step : steps) {
      auto checked = std::visit([this](const auto& what) { return check(what); }, step.what);
      if (!checked.ok()) return std::move(checked.error().prepend(step.place));
    }
    return ok();
  }

 private:
  Result<void> check(const ResolvedLaunch& launch) const {
    for (const ResolvedArgument& argument : launch.arguments) {
      if (const auto* place = std::get_if<ResolvedPlace>(&argument)) {
        TRY_VOID(check(*place, 0));
      }
    }
    return ok();
  }

  Result<void> check(const ResolvedFill& fill) const { return check_written(fill.to, fill.bytes); }

  Result<void> check(const ResolvedCopy& copy) const {
    TRY_VOID(check(copy.from, copy.bytes));
    return check_written(copy.to, copy.bytes);
  }

  Result<void> check_written(const ResolvedPlace& place, std::int64_t bytes) const {
    if (place.space == Space::kInput) return Error(Code::kInvalid, "it writes an input");
    return check(place, bytes);
  }

  Result<void> check(const ResolvedPlace& place, std::int64_t bytes) const {
    std::int64_t held = -1;
    const auto index = static_cast<std::size_t>(place.index);
    if (place.index >= 0) {
      if (place.space == Space::kInput && index < inputs_.tensors.size()) {
        held = inputs_.tensors[index].data_bytes;
      } else if (place.space == Space::kOutput && index < outputs_.tensors.size()) {
        held = outputs_.tensors[index].data_bytes;
      } else if (place.space == Space::kBuffer && index < plan_.buffers.size()) {
        held = plan_.buffers[index].bytes;
      }
    }
    if (held < 0) return Error(Code::kInvalid, "it names a tensor that is not there");
    if (place.byte_offset < 0 || place.byte_offset > held || bytes < 0 ||
        bytes > held - place.byte_offset) {
      return Error(Code::kInvalid, "it goes past the end of a tensor");
    }
    return ok();
  }

  const ResolvedPlan& plan_;
  const ArenaLayout& inputs_;
  const ArenaLayout& outputs_;
};

std::uint64_t address(const ResolvedPlace& place, const DeviceAddresses& addresses) {
  const auto& list = place.space == Space::kInput    ? addresses.inputs
                     : place.space == Space::kOutput ? addresses.outputs
                                                     : addresses.buffers;
  return list[static_cast<std::size_t>(place.index)] +
         static_cast<std::uint64_t>(place.byte_offset);
}

}  // namespace

std::vector<BoundStep> bind_steps(const std::vector<ResolvedStep>& steps,
                                  const DeviceAddresses& addresses) {
  std::vector<BoundStep> bound;
  bound.reserve(steps.size());
  for (const ResolvedStep& step : steps) {
    if (const auto* launch = std::get_if<ResolvedLaunch>(&step.what)) {
      BoundLaunch one{launch, {}};
      for (const ResolvedArgument& argument : launch->arguments) {
        const auto* place = std::get_if<ResolvedPlace>(&argument);
        one.arguments.push_back(place != nullptr ? address(*place, addresses)
                                                 : std::get<ResolvedScalar>(argument).bits);
      }
      bound.emplace_back(std::move(one));
    } else if (const auto* fill = std::get_if<ResolvedFill>(&step.what)) {
      bound.emplace_back(
          BoundFill{address(fill->to, addresses), fill->bytes, fill->element_bytes, fill->bits});
    } else {
      const auto& copy = std::get<ResolvedCopy>(step.what);
      bound.emplace_back(
          BoundCopy{address(copy.from, addresses), address(copy.to, addresses), copy.bytes});
    }
  }
  return bound;
}

void issue(const std::vector<BoundStep>& steps, Stream& stream) {
  for (const BoundStep& step : steps) {
    if (const auto* launch = std::get_if<BoundLaunch>(&step)) {
      stream.launch(*launch);
    } else if (const auto* fill = std::get_if<BoundFill>(&step)) {
      stream.fill(*fill);
    } else {
      stream.copy(std::get<BoundCopy>(step));
    }
  }
}

Result<void> check_bounds(const ResolvedPlan& plan, const ArenaLayout& inputs,
                          const ArenaLayout& outputs) {
  const Bounds bounds(plan, inputs, outputs);
  TRY_VOID(bounds.check(plan.prepare));
  return bounds.check(plan.run);
}

}  // namespace kvgen
