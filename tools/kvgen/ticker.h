#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <memory>

namespace kvgen::tools {

// Calls a function again and again on the loop, as long as it lives.
class Ticker {
 public:
  Ticker(const boost::asio::any_io_executor& executor, std::chrono::seconds every,
         std::function<void()> tick);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kvgen::tools
