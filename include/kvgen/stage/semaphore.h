#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <memory>

#include "kvgen/stage/awaitable.h"

namespace kvgen {

// Counts something scarce for coroutines of one event loop: requests in flight,
// compiler workers, the right to time. First come, first served.
//
// A waiting coroutine may be cancelled (its awaitable's cancellation slot): it
// then leaves the queue and the permit goes to the next.
class Semaphore {
 public:
  Semaphore(boost::asio::any_io_executor executor, int permits);

  // Returned when destroyed.
  class Permit {
   public:
    Permit() = default;
    Permit(Permit&& other) noexcept;
    Permit& operator=(Permit&& other) noexcept;
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    ~Permit();
    void release();

   private:
    friend class Semaphore;
    Permit(Semaphore* owner, int count) : owner_(owner), count_(count) {}
    Semaphore* owner_ = nullptr;
    int count_ = 0;
  };

  Awaitable<Permit> acquire(int count = 1);

  [[nodiscard]] int available() const { return available_; }
  [[nodiscard]] int total() const { return total_; }

 private:
  struct Waiter;
  void give_back(int count);
  void wake();

  boost::asio::any_io_executor executor_;
  int total_;
  int available_;
  std::deque<std::shared_ptr<Waiter>> waiters_;
};

}  // namespace kvgen
