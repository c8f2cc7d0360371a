// A worker whose behaviour each request chooses.

#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "kvgen/worker/protocol.h"
#include "kvgen/worker/serve.h"

namespace {

using kvgen::Json;
using kvgen::Message;
using kvgen::Result;

[[noreturn]] void hang() {
  while (true) ::pause();
}

Result<Message> compile(const Json& body) {
  const auto call = kvgen::compile_call_from(body);
  if (!call.ok()) return call.error();
  if (call->source.find("DIE") != std::string::npos) ::raise(SIGSEGV);
  kvgen::CompileAnswer answer;
  answer.build.target = call->target;
  answer.build.kernels.push_back({.expression = call->kernels.front(), .symbol = "symbol"});
  auto object = kvgen::sealed_blob("object", "code");
  if (!object.ok()) return object.error();
  return Message{kvgen::to_json(answer), {std::move(object).value()}};
}

Result<Message> answer(const std::string& op, const Message& message) {
  if (op == "echo") return Message{message.json, message.fds};
  if (op == "die") ::raise(SIGKILL);
  if (op == "hang") hang();
  if (op == "leave_child_and_hang") {
    const pid_t child = ::fork();
    if (child == 0) hang();
    std::ofstream(message.json.at("pid_file").get<std::string>()) << child << std::endl;
    hang();
  }
  if (op == "die_once") {
    const std::string marker = message.json.at("marker").get<std::string>();
    if (::access(marker.c_str(), F_OK) != 0) {
      std::ofstream(marker) << "died" << std::endl;
      ::raise(SIGKILL);
    }
    return Message{{{"survived", true}}, {}};
  }
  if (op == "environment") {
    Json list = Json::array();
    for (char** entry = environ; *entry != nullptr; ++entry) list.push_back(std::string(*entry));
    return Message{{{"environment", list}}, {}};
  }
  if (op == "compile") return compile(message.json);
  if (op == "refuse") return kvgen::Error(kvgen::Code::kInvalid, "that makes no sense");
  return kvgen::Error(kvgen::Code::kInvalid, "unknown op " + op);
}

}  // namespace

int main() {
  return kvgen::serve(kvgen::kWorkerSocket, {{"kind", "fake"}},
                      [](const std::string& op, Message body) { return answer(op, body); });
}
