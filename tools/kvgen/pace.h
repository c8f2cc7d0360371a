#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kvgen/base/clock.h"
#include "kvgen/store/run_status.h"

namespace kvgen::tools {

// How fast a run finishes tasks, and how long what is left takes at that rate.
struct Pace {
  double a_second = 0;  // tasks
  double left = 0;      // seconds
};

// None before the first task is done.
std::optional<Pace> pace_of(std::int64_t done, double seconds, std::int64_t left);

// Of the kvgen that works on a run now; none when nobody does.
std::optional<Pace> pace_now(const RunStatus& status, const Clock& clock);

// "6.2 tasks a minute, about 18 h 20 min left"; unit: "tasks "
std::string pace_text(const Pace& pace, const std::string& unit);

}  // namespace kvgen::tools
