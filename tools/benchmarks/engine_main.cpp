// A worker that times the compile engine's own call, without the service around it.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include "kvgen/base/files.h"
#include "kvgen/compile/amd_target.h"
#include "kvgen/compile/engine.h"
#include "kvgen/cpu/toolchain/cpu_target.h"
#include "kvgen/worker/serve.h"

namespace {

using namespace kvgen;

Result<Message> median_ms(ClangEngine& engine, const Json& body) {
  std::vector<double> times;
  for (int round = 0; round < 3; ++round) {
    for (const Json& item : body.at("calls")) {
      TRY(const CompileCall call, compile_call_from(item));
      const auto start = std::chrono::steady_clock::now();
      TRY_VOID(engine.compile(call));
      const std::chrono::duration<double, std::milli> spent =
          std::chrono::steady_clock::now() - start;
      if (round > 0) times.push_back(spent.count());
    }
  }
  std::sort(times.begin(), times.end());
  return Message{{{"median_ms", times.empty() ? 0.0 : times[times.size() / 2]}}, {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::vector<std::unique_ptr<CompileTarget>> targets;
  targets.push_back(cpu_target());
  for (const std::string& arch : amd_architectures()) {
    auto target = amd_target(arch, real_files(), device_library_folders());
    if (target.ok()) targets.push_back(std::move(*target));
  }
  ClangEngine engine(std::move(targets));
  if (!engine.prepare(real_files(), argv[1]).ok()) return 1;
  return serve(kWorkerSocket, Json::object(),
               [&](const std::string&, Message body) { return median_ms(engine, body.json); });
}
