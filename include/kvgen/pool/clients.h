#pragma once

#include <memory>
#include <string>

#include "kvgen/base/result.h"
#include "kvgen/pool/worker_group.h"
#include "kvgen/stage/compiler.h"
#include "kvgen/stage/referee.h"
#include "kvgen/stage/runner.h"

namespace kvgen {

// The stages over worker processes. Each keeps a reference to its group.
//
// Blame: a worker's death is ours and the request is made again of a fresh
// worker. Only a source that kills three compilers, each of which then handles a
// known-good kernel, is named as the cause.
// `name`: of the compiler, "clang" or "hiprtc".
std::unique_ptr<Compiler> make_compiler(WorkerGroup& workers, std::string name = "clang");
std::unique_ptr<Referee> make_referee(WorkerGroup& workers, std::string description);

// A known-good kernel for one device, with its arenas: y = 2 x + 1.
struct Canary {
  RunRequest request;
  std::vector<float> expected;
};
Awaitable<Result<Canary>> make_canary(Compiler& compiler, const std::string& target);

std::unique_ptr<Runner> make_runner(WorkerGroup& workers, std::string device, std::string machine,
                                    Canary canary);

// Captures one source file: the reply's body, as ingest/ reads it. kInvalid:
// the source's own fault, in one sentence with file and line.
class CaptureClient {
 public:
  explicit CaptureClient(WorkerGroup& workers) : workers_(workers) {}
  Awaitable<Result<Json>> capture(Json request);

 private:
  WorkerGroup& workers_;
};

}  // namespace kvgen
