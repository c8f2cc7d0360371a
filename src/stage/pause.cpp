#include "kvgen/stage/pause.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace kvgen {
namespace {

class TimerPause final : public Pause {
 public:
  Awaitable<void> sleep(std::chrono::milliseconds time) override {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, time);
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
};

}  // namespace

std::unique_ptr<Pause> make_pause() { return std::make_unique<TimerPause>(); }

}  // namespace kvgen
