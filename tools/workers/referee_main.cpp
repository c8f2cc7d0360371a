#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "kvgen/referee/engine.h"
#include "kvgen/worker/sandbox.h"
#include "kvgen/worker/serve.h"

namespace {

using namespace kvgen;

// OpenMP's threads spin for milliseconds between two parallel regions. Beside
// compilers and runners on the same cores that makes a small operator wait for a
// whole scheduler's turn; tens of microseconds still bridge two operators. Read
// by the library when it is loaded, so the program starts itself once more.
constexpr const char* kSpin = "GOMP_SPINCOUNT";
constexpr const char* kSpinCount = "20000";

int work() {
  SandboxPolicy policy;
  policy.readable = system_files();
  const auto closed = enter_sandbox(policy);
  if (!closed.ok()) {
    std::fprintf(stderr, "kvgen-referee: %s\n", closed.error().message().c_str());
    return closed.error().code() == Code::kMissing ? 3 : 1;
  }
  Json hello = RefereeEngine::hello();
  hello["worker"] = "kvgen-referee";
  hello["sandbox"] = to_json(*closed);
  RefereeEngine engine;
  return serve(kWorkerSocket, hello, [&](const std::string& op, Message body) {
    return engine.handle(op, std::move(body));
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 1) {
    std::fprintf(stderr, "kvgen-referee is started by kvgen, with a socket as descriptor 3.\n");
    return 2;
  }
  if (std::getenv(kSpin) == nullptr && ::setenv(kSpin, kSpinCount, 1) == 0) {
    ::execv("/proc/self/exe", argv);
  }
  return work();
}
