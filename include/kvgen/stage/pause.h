#pragma once

#include <chrono>
#include <memory>

#include "kvgen/stage/awaitable.h"

namespace kvgen {

// Lets time pass; tests do it without waiting.
class Pause {
 public:
  virtual ~Pause() = default;
  virtual Awaitable<void> sleep(std::chrono::milliseconds time) = 0;
};

// On the event loop of whoever awaits it.
std::unique_ptr<Pause> make_pause();

}  // namespace kvgen
