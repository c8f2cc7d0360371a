#pragma once

#include <memory>

#include "generate/http/http.h"

namespace kvgen::generate {

// HTTP by libcurl, on the event loop of whoever awaits it. Connections are kept for
// later requests. A proxy is taken from the environment (`https_proxy`, `no_proxy`),
// never for this machine's own addresses.
std::unique_ptr<Http> make_curl_http();

}  // namespace kvgen::generate
