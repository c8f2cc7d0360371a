#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kvgen/base/clock.h"
#include "kvgen/stage/pause.h"

namespace kvgen::testing {

// A clock that only moves when somebody sleeps, or is moved.
class FakeTime final : public Clock, public Pause {
 public:
  Instant now() const override { return now_; }
  std::chrono::system_clock::time_point wall() const override { return wall_; }
  Awaitable<void> sleep(std::chrono::milliseconds time) override {
    pass(time);
    naps.push_back(time.count());
    if (on_sleep) on_sleep();
    co_return;
  }

  void pass(std::chrono::milliseconds time) {
    now_ += time;
    wall_ += time;
  }
  // Somebody sets the machine's clock.
  void jump(std::chrono::seconds time) { wall_ += time; }

  std::vector<std::int64_t> naps;  // milliseconds
  std::function<void()> on_sleep;

 private:
  Instant now_{};
  std::chrono::system_clock::time_point wall_{};
};

}  // namespace kvgen::testing
