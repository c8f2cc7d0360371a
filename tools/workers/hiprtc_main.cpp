#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kvgen/base/number.h"
#include "kvgen/compile/hiprtc_engine.h"
#include "kvgen/compile/service.h"
#include "kvgen/worker/sandbox.h"
#include "kvgen/worker/serve.h"
#include "lean_heap.h"

namespace {

using namespace kvgen;

int complain(const Error& error) {
  std::fprintf(stderr, "kvgen-hiprtc: %s\n", error.message().c_str());
  return error.code() == Code::kMissing ? 3 : 1;
}

// Fails on a hiprtc that puts its own header before the program instead of ours.
constexpr const char* kTrial =
    "#ifndef KVGEN_PRELUDE\n"
    "#error this hiprtc does not take kvgen's headers\n"
    "#endif\n"
    "template <class T> __global__ void trial(const T* x, T* out, int n) {\n"
    "  __shared__ T part[256];\n"
    "  T sum = 0;\n"
    "  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += expf(x[i]);\n"
    "  part[threadIdx.x] = sum + __shfl_xor(sum, 1);\n"
    "  __syncthreads();\n"
    "  if (threadIdx.x == 0) atomicAdd(out, part[1]);\n"
    "}\n";

// Keeps the architectures that a known-good kernel compiles for, each tried in a child: what the
// table says of this version may be wrong for this build of it.
Result<void> try_architectures(HiprtcEngine& engine, CompileService& service,
                               const std::vector<std::string>& wanted, std::string& lacking) {
  std::vector<std::string> good;
  for (const std::string& target : engine.target_names()) {
    if (std::find(wanted.begin(), wanted.end(), target) == wanted.end()) continue;
    TRY(const Message reply, service.attempt({kTrial, target, {"trial<float>"}}));
    TRY(const CompileAnswer answer, compile_answer_from(reply.json));
    if (answer.build.usable()) {
      good.push_back(target);
    } else {
      lacking += (lacking.empty() ? "" : "; ") + target + ": " + answer.build.failure->reason;
    }
  }
  engine.keep_only(std::move(good));
  return ok();
}

// A machine without hiprtc has a worker that knows no architecture and says why.
int work_without(const Error& error) {
  const Json hello = {
      {"worker", "kvgen-hiprtc"}, {"compiler", "hiprtc"},   {"version", ""},
      {"targets", Json::array()}, {"knows", Json::array()}, {"lacking", error.message()}};
  return serve(kWorkerSocket, hello,
               [&](const std::string&, Message) -> Result<Message> { return error; });
}

int work(CompileLimits limits, const std::string& rocm, const std::vector<std::string>& wanted) {
  auto engine = HiprtcEngine::open({std::filesystem::path(rocm) / "lib"});
  if (!engine.ok()) {
    return engine.error().code() == Code::kMissing ? work_without(engine.error())
                                                   : complain(engine.error());
  }
  const char* scratch = std::getenv("TMPDIR");
  if (scratch == nullptr) {
    return complain(Error(Code::kInvalid, "TMPDIR names no folder to work in"));
  }
  SandboxPolicy policy;
  policy.readable = system_files();
  policy.readable.emplace_back(rocm);
  policy.writable = {scratch};
  const auto closed = enter_sandbox(policy);
  if (!closed.ok()) return complain(closed.error());

  limits.scratch = scratch;
  CompileService service(**engine, std::move(limits));
  const std::vector<std::string> knows = (*engine)->target_names();
  std::string lacking;
  const auto tried = try_architectures(**engine, service, wanted, lacking);
  if (!tried.ok()) return complain(tried.error());
  const Json hello = {{"worker", "kvgen-hiprtc"},
                      {"compiler", "hiprtc"},
                      {"version", (*engine)->compiler_version()},
                      {"targets", (*engine)->target_names()},
                      {"knows", knows},
                      {"lacking", lacking},
                      {"sandbox", to_json(*closed)}};
  return serve(kWorkerSocket, hello, [&](const std::string& op, Message body) {
    return service.handle(op, std::move(body));
  });
}

}  // namespace

int main(int argc, char** argv) {
  tools::keep_heap_lean();
  CompileLimits limits;
  if (argc >= 3 && std::strcmp(argv[1], "--cpu-seconds") == 0) {
    limits.cpu_s = static_cast<int>(leading_integer(argv[2]).value_or(0));
    argc -= 2;
    argv += 2;
  }
  if (argc >= 2 && limits.cpu_s > 0) return work(limits, argv[1], {argv + 2, argv + argc});
  std::fprintf(stderr,
               "kvgen-hiprtc is started by kvgen, with a socket as descriptor 3.\n"
               "  kvgen-hiprtc [--cpu-seconds N] ROCM [ARCH...]\n"
               "    ROCM: the folder to look in first; N: processor time of one compile\n");
  return 2;
}
