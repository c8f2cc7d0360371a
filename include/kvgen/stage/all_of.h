#pragma once

#include <cstddef>
#include <functional>

#include "kvgen/stage/awaitable.h"

namespace kvgen {

// Runs work(0) ... work(count - 1), at most `at_once` at a time, in order of
// their numbers; returns when all are done. An exception of one is thrown on
// after all others ended.
Awaitable<void> all_of(std::size_t count, int at_once,
                       std::function<Awaitable<void>(std::size_t)> work);

}  // namespace kvgen
