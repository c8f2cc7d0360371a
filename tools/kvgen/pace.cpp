#include "pace.h"

#include "text.h"

namespace kvgen::tools {

std::optional<Pace> pace_of(std::int64_t done, double seconds, std::int64_t left) {
  if (done <= 0 || seconds <= 0) return std::nullopt;
  const double a_second = static_cast<double>(done) / seconds;
  return Pace{a_second, static_cast<double>(left) / a_second};
}

std::optional<Pace> pace_now(const RunStatus& status, const Clock& clock) {
  // Who works on it now does so since this machine started, so the two instants compare.
  if (!status.owner) return std::nullopt;
  const std::chrono::duration<double> open = clock.now() - status.opened_instant;
  return pace_of(status.finished_since_opened, open.count(), status.left());
}

std::string pace_text(const Pace& pace, const std::string& unit) {
  return format("%.3g ", pace.a_second * 60) + unit + "a minute, about " +
         duration_text(pace.left) + " left";
}

}  // namespace kvgen::tools
