#include <cstdio>

#include "kvgen/device/engine.h"
#include "kvgen/device/service.h"
#include "kvgen/worker/sandbox.h"
#include "kvgen/worker/serve.h"

namespace {

using namespace kvgen;

int work() {
  auto engine = make_cpu_engine();
  Json hello = engine->describe();
  hello["worker"] = "kvgen-runner";
  // Everything a run needs comes through the socket: nothing is readable.
  const auto closed = enter_sandbox(SandboxPolicy{});
  if (!closed.ok()) {
    std::fprintf(stderr, "kvgen-runner: %s\n", closed.error().message().c_str());
    return closed.error().code() == Code::kMissing ? 3 : 1;
  }
  hello["sandbox"] = to_json(*closed);
  return serve(kWorkerSocket, hello, runner_handler(std::move(engine)));
}

}  // namespace

int main(int argc, char**) {
  if (argc == 1) return work();
  std::fprintf(stderr, "kvgen-runner is started by kvgen, with a socket as descriptor 3.\n");
  return 2;
}
