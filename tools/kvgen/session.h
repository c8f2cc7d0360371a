#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kvgen/base/result.h"
#include "kvgen/stage/awaitable.h"
#include "options.h"
#include "scratch.h"
#include "workshop.h"
#include "world.h"

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

// What every command that needs workers stands on: a folder for their logs and working
// folders, the event loop, the workshop, and an end by Ctrl-C that leaves no process behind.
class Session {
 public:
  // In a temporary folder, which goes with the session.
  static Result<std::unique_ptr<Session>> in_scratch(const World& world,
                                                     const MachineOptions& machine);
  // In RUN: logs stay in RUN/log, what a killed run left in RUN/scratch is removed.
  static Result<std::unique_ptr<Session>> in_run(const World& world, const MachineOptions& machine,
                                                 const fs::path& run);

  [[nodiscard]] Workshop& shop() { return shop_; }
  [[nodiscard]] const fs::path& folder() const { return folder_; }

  // Runs the command's work. When interrupted, says `kept` ("what is done is kept, ...",
  // may be empty) and ends the process.
  template <class T>
  Result<T> run(Awaitable<Result<T>> work, const std::string& kept) {
    return run_to_end<T>(loop_, std::move(work), [&] { interrupt(kept); });
  }

 private:
  Session(const World& world, const MachineOptions& machine, std::optional<Scratch> scratch,
          fs::path folder, std::unique_ptr<Log> log);
  [[noreturn]] void interrupt(const std::string& kept);

  const World& world_;
  std::optional<Scratch> scratch_;
  fs::path folder_;
  std::unique_ptr<Log> log_;
  boost::asio::io_context loop_;
  Workshop shop_;
};

}  // namespace kvgen::tools
