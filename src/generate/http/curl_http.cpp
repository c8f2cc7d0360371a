#include "generate/http/curl_http.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cctype>

#include "generate/http/curl_loop.h"

namespace kvgen::generate {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool is_this_machine(const std::string& url) {
  std::string host = url.substr(std::min(url.size(), url.find("://") + 3));
  host = lower(host.substr(0, host.find_first_of("/?#")));
  return host.starts_with("localhost") || host.starts_with("127.") || host.starts_with("[::1]");
}

// One request on its way; ends with its owner.
class Transfer {
 public:
  Transfer(HttpRequest request, HttpReader reader)
      : request_(std::move(request)), reader_(std::move(reader)), easy_(curl_easy_init()) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() {
    if (loop_ != nullptr) loop_->remove(easy_);
    curl_slist_free_all(headers_);
    curl_easy_cleanup(easy_);
  }

  Result<void> prepare();
  Awaitable<HttpReply> run(CurlLoop& loop);

 private:
  void set(CURLoption option, long value) { curl_easy_setopt(easy_, option, value); }
  void add_header(const std::string& line) { headers_ = curl_slist_append(headers_, line.c_str()); }
  static std::size_t on_head(const char* data, std::size_t, std::size_t size, void* self);
  static std::size_t on_body(const char* data, std::size_t, std::size_t size, void* self);
  bool take_head(std::string_view line);
  bool take_body(std::string_view piece);
  void finish(CURLcode code);

  HttpRequest request_;
  HttpReader reader_;
  CURL* easy_;
  curl_slist* headers_ = nullptr;
  CurlLoop* loop_ = nullptr;
  HttpReply reply_;
  std::size_t head_bytes_ = 0;
  bool enough_ = false;
  bool too_large_ = false;
};

Result<void> Transfer::prepare() {
  if (easy_ == nullptr) return Error(Code::kFull, "libcurl: out of memory");
  if (curl_easy_setopt(easy_, CURLOPT_URL, request_.url.c_str()) != CURLE_OK) {
    return Error(Code::kFull, "libcurl: out of memory");
  }
  curl_easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  for (const auto& [name, value] : request_.headers) add_header(name + ": " + value);
  add_header("Expect:");
  if (!request_.bearer.empty()) add_header("Authorization: Bearer " + request_.bearer);
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers_);
  curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, request_.body.data());
  curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(request_.body.size()));
  curl_easy_setopt(easy_, CURLOPT_USERAGENT, "kvgen");
  if (is_this_machine(request_.url)) curl_easy_setopt(easy_, CURLOPT_PROXY, "");
  set(CURLOPT_NOSIGNAL, 1);
  set(CURLOPT_FOLLOWLOCATION, 0);
  set(CURLOPT_SSL_VERIFYPEER, 1);
  set(CURLOPT_SSL_VERIFYHOST, 2);
  set(CURLOPT_TCP_KEEPALIVE, 1);
  set(CURLOPT_CONNECTTIMEOUT_MS, request_.limits.connect.count());
  set(CURLOPT_TIMEOUT_MS, request_.limits.total.count());
  set(CURLOPT_LOW_SPEED_LIMIT, 1);
  set(CURLOPT_LOW_SPEED_TIME, request_.limits.idle.count());
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &Transfer::on_head);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  return ok();
}

Awaitable<HttpReply> Transfer::run(CurlLoop& loop) {
  boost::asio::steady_timer ended(co_await boost::asio::this_coro::executor,
                                  boost::asio::steady_timer::time_point::max());
  std::optional<CURLcode> code;
  loop_ = &loop;
  loop.add(easy_, [&](CURLcode result) {
    code = result;
    ended.cancel();
  });
  while (!code) {
    boost::system::error_code ignored;
    co_await ended.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }
  finish(*code);
  co_return std::move(reply_);
}

std::size_t Transfer::on_head(const char* data, std::size_t, std::size_t size, void* self) {
  return static_cast<Transfer*>(self)->take_head({data, size}) ? size : 0;
}

std::size_t Transfer::on_body(const char* data, std::size_t, std::size_t size, void* self) {
  return static_cast<Transfer*>(self)->take_body({data, size}) ? size : 0;
}

bool Transfer::take_head(std::string_view line) {
  head_bytes_ += line.size();
  if (head_bytes_ > request_.limits.head_bytes) {
    too_large_ = true;
    return false;
  }
  if (line.starts_with("HTTP/")) {  // also after a 100 Continue
    reply_.headers.clear();
    return true;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  reply_.headers.emplace_back(lower(trimmed(line.substr(0, colon))),
                              std::string(trimmed(line.substr(colon + 1))));
  return true;
}

bool Transfer::take_body(std::string_view piece) {
  if (reply_.body.size() + piece.size() > request_.limits.body_bytes) {
    too_large_ = true;
    return false;
  }
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  reply_.status = static_cast<int>(status);
  reply_.body += piece;
  enough_ = !reader_(reply_, piece);
  return !enough_;
}

void Transfer::finish(CURLcode code) {
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  reply_.status = static_cast<int>(status);
  long sent = 0;
  curl_easy_getinfo(easy_, CURLINFO_REQUEST_SIZE, &sent);
  if (code == CURLE_OK || enough_) return;
  reply_.trouble = curl_easy_strerror(code);
  if (too_large_) {
    reply_.end = HttpEnd::kTooLarge;
    reply_.trouble =
        "the reply is larger than " + std::to_string(request_.limits.body_bytes >> 20U) + " MB";
    return;
  }
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
      reply_.end = HttpEnd::kNotReached;
      break;
    case CURLE_PEER_FAILED_VERIFICATION:
      reply_.end = HttpEnd::kUntrusted;
      break;
    case CURLE_OPERATION_TIMEDOUT:
      reply_.end = sent == 0 ? HttpEnd::kNotReached : HttpEnd::kTimeout;
      break;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_CONTENT_ENCODING:
      reply_.end = HttpEnd::kNotHttp;
      break;
    default:
      reply_.end = HttpEnd::kCut;
      break;
  }
}

bool is_url(const std::string& text) {
  CURLU* url = curl_url();
  const bool good =
      url != nullptr && curl_url_set(url, CURLUPART_URL, text.c_str(), 0) == CURLUE_OK;
  curl_url_cleanup(url);
  return good;
}

class CurlHttp final : public Http {
 public:
  Awaitable<Result<HttpReply>> post(HttpRequest request, HttpReader reader) override {
    if (!is_url(request.url)) co_return Error(Code::kUsage, request.url + " is not a URL");
    const auto executor = co_await boost::asio::this_coro::executor;
    auto& context = boost::asio::query(executor, boost::asio::execution::context);
    auto& loop = boost::asio::use_service<CurlLoop>(context);
    Transfer transfer(std::move(request), std::move(reader));
    CO_TRY_VOID(transfer.prepare());
    co_return co_await transfer.run(loop);
  }
};

}  // namespace

std::optional<std::chrono::system_clock::time_point> http_date(const std::string& text) {
  const std::time_t date = curl_getdate(text.c_str(), nullptr);
  if (date < 0) return std::nullopt;
  return std::chrono::system_clock::from_time_t(date);
}

std::unique_ptr<Http> make_curl_http() { return std::make_unique<CurlHttp>(); }

}  // namespace kvgen::generate
