#include "kvgen/base/clock.h"

#include <array>
#include <ctime>

namespace kvgen {
namespace {

class RealClock : public Clock {
 public:
  Instant now() const override { return std::chrono::steady_clock::now(); }
  std::chrono::system_clock::time_point wall() const override {
    return std::chrono::system_clock::now();
  }
};

}  // namespace

const Clock& real_clock() {
  static const RealClock clock;
  return clock;
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

}  // namespace kvgen
