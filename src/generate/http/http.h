#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/stage/awaitable.h"

namespace kvgen::generate {

struct HttpLimits {
  std::chrono::milliseconds connect{20'000};
  std::chrono::seconds idle{300};  // without one byte received
  std::chrono::milliseconds total{3'600'000};
  std::size_t body_bytes = 16UL << 20;
  std::size_t head_bytes = 64UL << 10;
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// A POST. `bearer` becomes the Authorization header and appears in no message.
struct HttpRequest {
  std::string url;
  HttpHeaders headers;
  std::string bearer;
  std::string body;
  HttpLimits limits;
};

// How far an exchange came.
enum class HttpEnd {
  kWhole,       // the reply ended as it said it would, or the reader had enough
  kNotReached,  // no connection: the peer cannot have seen the request
  kUntrusted,   // its certificate is not valid: likewise
  kCut,         // the connection ended too early
  kTimeout,     // silent or slow beyond the limits
  kTooLarge,    // beyond the limits of head or body
  kNotHttp,     // what came is not HTTP
};

struct HttpReply {
  HttpEnd end = HttpEnd::kWhole;
  std::string trouble;  // in words, unless kWhole: "the connection was closed"
  int status = 0;       // 0 when no head came
  HttpHeaders headers;  // names in lower case
  std::string body;     // what came of it

  [[nodiscard]] const std::string* header(std::string_view name) const;
};

// Sees each piece of the body as it comes; false: enough, the rest is not waited for.
using HttpReader = std::function<bool(const HttpReply& so_far, std::string_view piece)>;

// Sends one request and waits for its reply. Whatever the peer or the network does
// is a value; an Error means that no request can be made at all (a URL that is none).
//
// Redirects are not followed, certificates are verified, nothing is sent to other
// protocols than http and https. Any number of exchanges may be awaited at once on
// one event loop; destroying the awaiting coroutine ends its exchange.
class Http {
 public:
  virtual ~Http() = default;
  virtual Awaitable<Result<HttpReply>> post(HttpRequest request, HttpReader reader) = 0;
};

// The time of an HTTP date ("Mon, 30 Nov 2026 22:00:00 GMT").
std::optional<std::chrono::system_clock::time_point> http_date(const std::string& text);

}  // namespace kvgen::generate
