#include "generate/http/curl_loop.h"

#include <unistd.h>

#include <utility>

namespace kvgen::generate {

// A second descriptor of curl's socket: curl closes its own whenever it likes.
struct CurlLoop::Socket {
  Socket(boost::asio::io_context& loop, curl_socket_t original)
      : number(original), descriptor(loop, ::dup(original)) {}
  curl_socket_t number;
  boost::asio::posix::stream_descriptor descriptor;
  int wanted = 0;  // CURL_POLL_*
  bool reading = false;
  bool writing = false;
};

CurlLoop::CurlLoop(boost::asio::execution_context& context)
    : service(context), loop_(static_cast<boost::asio::io_context&>(context)), timer_(loop_) {
  static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(once);
  multi_ = curl_multi_init();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlLoop::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlLoop::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

CurlLoop::~CurlLoop() {
  if (multi_ != nullptr) curl_multi_cleanup(multi_);
}

void CurlLoop::shutdown() {
  // Coroutines that still wait are destroyed by other services' shutdown, in any order.
  sockets_.clear();
  timer_.reset();
}

void CurlLoop::add(CURL* easy, std::function<void(CURLcode)> ended) {
  transfers_[easy] = std::move(ended);
  curl_multi_add_handle(multi_, easy);
}

void CurlLoop::remove(CURL* easy) {
  transfers_.erase(easy);
  curl_multi_remove_handle(multi_, easy);
}

int CurlLoop::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
  static_cast<CurlLoop*>(self)->watch(socket, what);
  return 0;
}

int CurlLoop::on_timer(CURLM*, long milliseconds, void* self) {
  auto& loop = *static_cast<CurlLoop*>(self);
  if (!loop.timer_) return 0;
  loop.timer_->cancel();
  if (milliseconds < 0) return 0;
  // Never from inside curl's own call, so a time of zero waits for the loop as well.
  loop.timer_->expires_after(std::chrono::milliseconds(milliseconds));
  loop.timer_->async_wait([&loop](boost::system::error_code failed) {
    if (!failed) loop.act(CURL_SOCKET_TIMEOUT, 0);
  });
  return 0;
}

void CurlLoop::watch(curl_socket_t socket, int what) {
  if (!timer_) return;  // shut down
  const auto known = sockets_.find(socket);
  if (what == CURL_POLL_REMOVE) {
    if (known == sockets_.end()) return;
    boost::system::error_code ignored;
    known->second->wanted = 0;
    known->second->descriptor.close(ignored);
    sockets_.erase(known);
    return;
  }
  const auto entry =
      known != sockets_.end()
          ? known->second
          : sockets_.emplace(socket, std::make_shared<Socket>(loop_, socket)).first->second;
  entry->wanted = what;
  if ((what & CURL_POLL_IN) != 0) wait_for(entry, true);
  if ((what & CURL_POLL_OUT) != 0) wait_for(entry, false);
}

void CurlLoop::wait_for(const std::shared_ptr<Socket>& socket, bool reading) {
  bool& waiting = reading ? socket->reading : socket->writing;
  if (waiting) return;
  waiting = true;
  using Descriptor = boost::asio::posix::stream_descriptor;
  socket->descriptor.async_wait(
      reading ? Descriptor::wait_read : Descriptor::wait_write,
      [this, socket, reading](boost::system::error_code failed) {
        (reading ? socket->reading : socket->writing) = false;
        const int poll = reading ? CURL_POLL_IN : CURL_POLL_OUT;
        if (failed == boost::asio::error::operation_aborted || (socket->wanted & poll) == 0) return;
        act(socket->number, failed    ? CURL_CSELECT_ERR
                            : reading ? CURL_CSELECT_IN
                                      : CURL_CSELECT_OUT);
        const auto still = sockets_.find(socket->number);
        const bool same = still != sockets_.end() && still->second == socket;
        if (same && (socket->wanted & poll) != 0) wait_for(socket, reading);
      });
}

void CurlLoop::act(curl_socket_t socket, int events) {
  int running = 0;
  curl_multi_socket_action(multi_, socket, events, &running);
  tell_ended();
}

void CurlLoop::tell_ended() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    const auto found = transfers_.find(message->easy_handle);
    if (found == transfers_.end()) continue;
    const auto ended = std::move(found->second);
    transfers_.erase(found);
    ended(code);
  }
}

}  // namespace kvgen::generate
