#pragma once

#include <chrono>
#include <string>

namespace kvgen {

// Where time comes from. Intervals and deadlines use now(); records use wall().
class Clock {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;
  virtual Instant now() const = 0;                                 // monotonic
  virtual std::chrono::system_clock::time_point wall() const = 0;  // may jump
};

// The machine's clocks.
const Clock& real_clock();

// "2026-11-30T18:32:45Z"
std::string utc_text(std::chrono::system_clock::time_point time);

}  // namespace kvgen
