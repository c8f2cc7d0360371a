#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>

#include "kvgen/stage/awaitable.h"

namespace kvgen::testing {

inline void await(boost::asio::io_context& loop, Awaitable<void> work) {
  std::exception_ptr thrown;
  boost::asio::co_spawn(loop, std::move(work), [&](std::exception_ptr failed) { thrown = failed; });
  loop.restart();
  loop.run();
  if (thrown) std::rethrow_exception(thrown);
}

// Runs a coroutine to its end on the loop and gives its value.
template <class T>
T await(boost::asio::io_context& loop, Awaitable<T> work) {
  std::optional<T> value;
  const auto keep = [&]() -> Awaitable<void> { value = co_await std::move(work); };
  await(loop, keep());
  return std::move(*value);
}

}  // namespace kvgen::testing
