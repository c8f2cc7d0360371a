#include "kvgen/stage/semaphore.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace kvgen {

struct Semaphore::Waiter {
  Waiter(const boost::asio::any_io_executor& executor, int wanted)
      : timer(executor, boost::asio::steady_timer::time_point::max()), count(wanted) {}
  boost::asio::steady_timer timer;
  int count;
  bool granted = false;
};

Semaphore::Semaphore(boost::asio::any_io_executor executor, int permits)
    : executor_(std::move(executor)), total_(permits), available_(permits) {}

Awaitable<Semaphore::Permit> Semaphore::acquire(int count) {
  count = std::min(count, total_);
  if (waiters_.empty() && available_ >= count) {
    available_ -= count;
    co_return Permit(this, count);
  }
  auto waiter = std::make_shared<Waiter>(executor_, count);
  waiters_.push_back(waiter);
  // Owns the place in the queue: also when the coroutine is destroyed while it waits.
  struct Place {
    Semaphore* owner;
    std::shared_ptr<Waiter> waiter;
    bool taken = false;
    ~Place() {
      if (taken) return;
      if (waiter->granted) {
        owner->give_back(waiter->count);
      } else {
        std::erase(owner->waiters_, waiter);
        owner->wake();
      }
    }
  } place{this, waiter};
  while (!waiter->granted) {
    boost::system::error_code ignored;
    co_await waiter->timer.async_wait(
        boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }
  place.taken = true;
  co_return Permit(this, count);
}

void Semaphore::give_back(int count) {
  available_ += count;
  wake();
}

void Semaphore::wake() {
  while (!waiters_.empty() && waiters_.front()->count <= available_) {
    const auto next = waiters_.front();
    waiters_.pop_front();
    available_ -= next->count;
    next->granted = true;
    next->timer.cancel();
  }
}

Semaphore::Permit::Permit(Permit&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), count_(std::exchange(other.count_, 0)) {}

Semaphore::Permit& Semaphore::Permit::operator=(Permit&& other) noexcept {
  if (this != &other) {
    release();
    owner_ = std::exchange(other.owner_, nullptr);
    count_ = std::exchange(other.count_, 0);
  }
  return *this;
}

Semaphore::Permit::~Permit() { release(); }

void Semaphore::Permit::release() {
  if (owner_ != nullptr) std::exchange(owner_, nullptr)->give_back(count_);
}

}  // namespace kvgen
