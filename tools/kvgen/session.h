#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "kvgen/base/result.h"
#include "kvgen/stage/awaitable.h"

namespace kvgen::tools {

// Runs a coroutine to its end on this loop. SIGINT and SIGTERM call `interrupted`,
// which does not return: what was journalled stands, and unfinished coroutines are
// dropped with the process.
template <class T>
Result<T> run_to_end(boost::asio::io_context& loop, Awaitable<Result<T>> work,
                     const std::function<void()>& interrupted) {
  boost::asio::signal_set signals(loop, SIGINT, SIGTERM);
  signals.async_wait([&](boost::system::error_code failed, int) {
    if (!failed) interrupted();
  });
  std::optional<Result<T>> result;
  const auto keep = [&]() -> Awaitable<void> { result = co_await std::move(work); };
  boost::asio::co_spawn(loop, keep(), [&](const std::exception_ptr& thrown) {
    signals.cancel();
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const std::exception& fault) {
      result = Error(Code::kInternal, std::string("a fault of kvgen: ") + fault.what());
    }
  });
  loop.run();
  return std::move(*result);
}

}  // namespace kvgen::tools
