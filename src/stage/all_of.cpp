#include "kvgen/stage/all_of.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <memory>

namespace kvgen {

namespace asio = boost::asio;

namespace {

struct Crew {
  Crew(const asio::any_io_executor& executor, std::size_t total)
      : count(total), everybody_done(executor, asio::steady_timer::time_point::max()) {}
  std::size_t next = 0;
  std::size_t count;
  std::size_t running = 0;
  std::exception_ptr failure;
  asio::steady_timer everybody_done;
};

Awaitable<void> one_after_another(std::shared_ptr<Crew> crew,
                                  std::function<Awaitable<void>(std::size_t)> work) {
  while (crew->next < crew->count && !crew->failure) co_await work(crew->next++);
}

}  // namespace

Awaitable<void> all_of(std::size_t count, int at_once,
                       std::function<Awaitable<void>(std::size_t)> work) {
  const auto executor = co_await asio::this_coro::executor;
  const auto crew = std::make_shared<Crew>(executor, count);
  crew->running = std::min<std::size_t>(count, static_cast<std::size_t>(std::max(1, at_once)));
  for (std::size_t i = crew->running; i > 0; --i) {
    asio::co_spawn(executor, one_after_another(crew, work), [crew](std::exception_ptr failed) {
      if (failed && !crew->failure) crew->failure = failed;
      if (--crew->running == 0) crew->everybody_done.cancel();
    });
  }
  while (crew->running > 0) {
    boost::system::error_code ignored;
    co_await crew->everybody_done.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  if (crew->failure) std::rethrow_exception(crew->failure);
}

}  // namespace kvgen
