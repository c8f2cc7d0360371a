#include "ticker.h"

#include <boost/asio/steady_timer.hpp>

namespace kvgen::tools {

struct Ticker::State : std::enable_shared_from_this<Ticker::State> {
  State(const boost::asio::any_io_executor& executor, std::chrono::seconds time,
        std::function<void()> what)
      : timer(executor), every(time), tick(std::move(what)) {}

  void wait() {
    timer.expires_after(every);
    timer.async_wait([self = shared_from_this()](boost::system::error_code failed) {
      if (failed || self->ended) return;
      self->tick();
      self->wait();
    });
  }

  boost::asio::steady_timer timer;
  std::chrono::seconds every;
  std::function<void()> tick;
  bool ended = false;
};

Ticker::Ticker(const boost::asio::any_io_executor& executor, std::chrono::seconds every,
               std::function<void()> tick)
    : state_(std::make_shared<State>(executor, every, std::move(tick))) {
  state_->wait();
}

Ticker::~Ticker() {
  state_->ended = true;
  state_->timer.cancel();
}

}  // namespace kvgen::tools
