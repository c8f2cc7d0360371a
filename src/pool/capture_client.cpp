#include "kvgen/pool/clients.h"

namespace kvgen {
namespace {

constexpr std::chrono::minutes kDeadline{5};

}  // namespace

Awaitable<Result<Json>> CaptureClient::capture(Json request) {
  auto reply = co_await workers_.ask_any("capture", {std::move(request), {}}, kDeadline);
  if (!reply.ok()) co_return std::move(reply).error();
  co_return std::move(reply->json);
}

}  // namespace kvgen
