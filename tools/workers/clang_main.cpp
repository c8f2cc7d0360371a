#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kvgen/base/files.h"
#include "kvgen/base/number.h"
#include "kvgen/compile/amd_target.h"
#include "kvgen/compile/engine.h"
#include "kvgen/compile/service.h"
#include "kvgen/cpu/toolchain/cpu_target.h"
#include "kvgen/worker/sandbox.h"
#include "kvgen/worker/serve.h"
#include "lean_heap.h"

namespace {

using namespace kvgen;

// The targets this machine can compile for; `lacking` says what is missing for the others.
std::vector<std::unique_ptr<CompileTarget>> targets(std::string& lacking) {
  std::vector<std::unique_ptr<CompileTarget>> list;
  list.push_back(cpu_target());
  for (const std::string& arch : amd_architectures()) {
    auto target = amd_target(arch, real_files(), device_library_folders());
    if (target.ok()) {
      list.push_back(std::move(*target));
    } else {
      lacking = target.error().message();
    }
  }
  return list;
}

int complain(const Error& error) {
  std::fprintf(stderr, "kvgen-clang: %s\n", error.message().c_str());
  return error.code() == Code::kMissing ? 3 : 1;
}

std::filesystem::path pch_folder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() /
         "share" / "kvgen" / "pch";
}

int make_pch(const std::string& folder) {
  std::string lacking;
  ClangEngine engine(targets(lacking));
  const auto made = engine.make_pch(real_files(), folder);
  return made.ok() ? 0 : complain(made.error());
}

int work(const CompileLimits& limits) {
  std::string lacking;
  ClangEngine engine(targets(lacking));
  const auto ready = engine.prepare(real_files(), pch_folder());
  if (!ready.ok()) return complain(ready.error());
  // Everything is in memory by now; the linker reads and writes memory files by /proc/self/fd.
  SandboxPolicy policy;
  policy.readable = {"/proc"};
  const auto closed = enter_sandbox(policy);
  if (!closed.ok()) return complain(closed.error());

  CompileService service(engine, limits);
  const Json hello = {{"worker", "kvgen-clang"},
                      {"compiler", "clang"},
                      {"version", ClangEngine::version()},
                      {"targets", engine.target_names()},
                      {"lacking", lacking},
                      {"sandbox", to_json(*closed)}};
  return serve(kWorkerSocket, hello, [&](const std::string& op, Message body) {
    return service.handle(op, std::move(body));
  });
}

}  // namespace

int main(int argc, char** argv) {
  tools::keep_heap_lean();
  if (argc == 3 && std::strcmp(argv[1], "--make-pch") == 0) return make_pch(argv[2]);
  CompileLimits limits;
  if (argc == 3 && std::strcmp(argv[1], "--cpu-seconds") == 0) {
    limits.cpu_s = static_cast<int>(leading_integer(argv[2]).value_or(0));
  }
  if (argc == 1 || (argc == 3 && limits.cpu_s > 0)) return work(limits);
  std::fprintf(stderr,
               "kvgen-clang is started by kvgen, with a socket as descriptor 3.\n"
               "  kvgen-clang --make-pch DIR     precompile the headers of device code into DIR\n"
               "  kvgen-clang --cpu-seconds N    processor time of one compile, 20 unless given\n");
  return 2;
}
