#pragma once

#include "kvgen/pipeline/pipeline.h"

namespace kvgen::pipeline {

// Awaits `work()`, and again while it says that a disk is full and there is patience left.
// `work` must be such that doing it again after a failure is the same as doing it once.
template <class Work>
auto with_room(const std::optional<Unattended>& unattended, PipelineObserver& observer,
               const Task& task, Work work) -> decltype(work()) {
  constexpr std::chrono::seconds kBetween{10};
  if (!unattended) co_return co_await work();
  const auto begun = unattended->clock.now();
  while (true) {
    auto result = co_await work();
    if (result.ok() || result.error().code() != Code::kFull) co_return result;
    if (unattended->clock.now() - begun >= unattended->wait_for_room) co_return result;
    observer.waits(task, result.error().message() + "; kvgen waits for room");
    co_await unattended->pause.sleep(kBetween);
  }
}

}  // namespace kvgen::pipeline
