#pragma once

#include <boost/asio/awaitable.hpp>

namespace kvgen {

// A coroutine of kvgen's one event loop: started when awaited, never blocking.
template <class T>
using Awaitable = boost::asio::awaitable<T>;

}  // namespace kvgen
