#pragma once

#include <chrono>
#include <functional>

namespace kvgen::generate {

// How long to wait before asking again.
//
// Half a second, doubled with every try up to a minute, less up to a quarter by chance
// so that many who failed together do not come back together.
class Backoff {
 public:
  // `chance` gives numbers in [0, 1).
  explicit Backoff(std::function<double()> chance) : chance_(std::move(chance)) {}
  std::chrono::milliseconds next();

 private:
  std::function<double()> chance_;
  int tries_ = 0;
};

}  // namespace kvgen::generate
