#pragma once

#include <curl/curl.h>

#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace kvgen::generate {

// One libcurl multi handle driven by an event loop: curl says which sockets and which
// time to wait for, the loop waits. A service, so that it lives as long as its loop.
class CurlLoop : public boost::asio::execution_context::service {
 public:
  using key_type = CurlLoop;
  static inline boost::asio::execution_context::id id;

  explicit CurlLoop(boost::asio::execution_context& context);
  ~CurlLoop() override;

  // Starts a transfer; `ended` is called once on the loop, unless it is removed before.
  void add(CURL* easy, std::function<void(CURLcode)> ended);
  void remove(CURL* easy);

 private:
  struct Socket;

  void shutdown() override;
  static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void*);
  static int on_timer(CURLM*, long milliseconds, void* self);
  void watch(curl_socket_t socket, int what);
  void wait_for(const std::shared_ptr<Socket>& socket, bool reading);
  void act(curl_socket_t socket, int events);
  void tell_ended();

  boost::asio::io_context& loop_;
  std::optional<boost::asio::steady_timer> timer_;
  std::map<curl_socket_t, std::shared_ptr<Socket>> sockets_;
  std::map<CURL*, std::function<void(CURLcode)>> transfers_;
  CURLM* multi_ = nullptr;
};

}  // namespace kvgen::generate
