#pragma once

#include <functional>
#include <string>

#include "kvgen/base/result.h"
#include "kvgen/worker/frame.h"

namespace kvgen {

// The descriptor a worker finds its socket on.
inline constexpr int kWorkerSocket = 3;

// Request: {"op": name, "body": {...}} with descriptors.
// Reply:   {"ok": true, "body": {...}} or {"ok": false, "error": {code, message, retryable}}.
using Handler = std::function<Result<Message>(const std::string& op, Message body)>;

// Answers one request after another until the peer closes; returns the process's
// exit code. A handler that throws is answered as kInternal. "ping" is answered
// here with {"pid": ..., "hello": hello}.
int serve(int socket, const Json& hello, const Handler& handler);

Message request_message(const std::string& op, Message body);

// The body of a reply, or the worker's Error.
Result<Message> open_reply(Message reply);

}  // namespace kvgen
