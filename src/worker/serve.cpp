#include "kvgen/worker/serve.h"

#include <unistd.h>

#include <array>
#include <exception>
#include <string_view>
#include <utility>

namespace kvgen {
namespace {

constexpr std::array kCodes = {Code::kUsage,    Code::kInvalid, Code::kMissing,  Code::kNotFound,
                               Code::kConflict, Code::kIo,      Code::kFull,     Code::kTimeout,
                               Code::kWorker,   Code::kDenied,  Code::kCancelled};

Code code_from(const std::string& name) {
  for (const Code code : kCodes) {
    if (to_string(code) == name) return code;
  }
  return Code::kInternal;
}

Message failure(const Error& error) {
  return {{{"ok", false},
           {"error",
            {{"code", to_string(error.code())},
             {"message", error.message()},
             {"retryable", error.retryable()}}}},
          {}};
}

// A part of a message, moved out of it: bodies may be large.
Json take(Json& message, std::string_view part) {
  const auto at = message.find(part);
  if (at == message.end()) return Json::object();
  Json taken = std::move(*at);
  message.erase(at);
  return taken;
}

Result<Message> answer(const Json& hello, const Handler& handler, Message request) {
  Json body = take(request.json, "body");
  Fields fields(request.json, "request");
  const auto op = fields.get<std::string>("op");
  TRY_VOID(fields.finish());
  if (op == "ping") return Message{{{"pid", ::getpid()}, {"hello", hello}}, {}};
  try {
    return handler(op, Message{std::move(body), std::move(request.fds)});
  } catch (const std::exception& e) {
    return Error(Code::kInternal, "the worker failed on \"" + op + "\": " + e.what());
  }
}

}  // namespace

int serve(int socket, const Json& hello, const Handler& handler) {
  FrameReader reader;
  while (true) {
    const auto got = reader.read_from(socket);
    if (!got.ok()) return 1;
    if (*got == Progress::kClosed) return 0;
    auto result = answer(hello, handler, reader.take());
    Message reply = result.ok() ? Message{{{"ok", true}, {"body", std::move(result->json)}},
                                          std::move(result->fds)}
                                : failure(result.error());
    FrameWriter writer(std::move(reply));
    const auto sent = writer.write_to(socket);
    if (!sent.ok() || *sent != Progress::kDone) return 1;
  }
}

Message request_message(const std::string& op, Message body) {
  return {{{"op", op}, {"body", std::move(body.json)}}, std::move(body.fds)};
}

Result<Message> open_reply(Message reply) {
  Json body = take(reply.json, "body");
  const Json error = take(reply.json, "error");
  Fields fields(reply.json, "reply");
  const bool good = fields.get<bool>("ok");
  TRY_VOID(fields.finish());
  if (good) return Message{std::move(body), std::move(reply.fds)};
  Fields cause(error, "reply.error");
  Error told(code_from(cause.get<std::string>("code")), cause.get<std::string>("message"));
  told.set_retryable(cause.get_or<bool>("retryable", false));
  TRY_VOID(cause.finish());
  return told;
}

}  // namespace kvgen
