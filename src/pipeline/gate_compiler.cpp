#include "kvgen/pipeline/gate_compiler.h"

#include <algorithm>
#include <utility>

#include "kvgen/base/number.h"

namespace kvgen {
namespace {

constexpr int kFirstCurrentRelease = 6;

bool is_old(const std::string& version) {
  return leading_integer(version).value_or(0) < kFirstCurrentRelease;
}

// hiprtc's kernels with what only Clang knows of them; false when they are not the same ones.
bool take_signatures(const Build& clang, Build& build) {
  for (KernelInfo& kernel : build.kernels) {
    const KernelInfo* known = clang.kernel(kernel.expression);
    if (known == nullptr || known->symbol != kernel.symbol) return false;
    KernelInfo merged = *known;
    merged.facts = kernel.facts;
    merged.static_lds = kernel.static_lds;
    kernel = std::move(merged);
  }
  return true;
}

}  // namespace

GateCompiler::GateCompiler(Compiler& clang, std::optional<HiprtcGate> hiprtc)
    : clang_(clang), hiprtc_(std::move(hiprtc)) {}

Awaitable<Result<Compiled>> GateCompiler::build(CompileRequest request) {
  CO_TRY(Compiled compiled, co_await clang_.build(request));
  const bool knows = hiprtc_ && std::find(hiprtc_->targets.begin(), hiprtc_->targets.end(),
                                          request.target) != hiprtc_->targets.end();
  if (knows && compiled.build.usable()) {
    compiled.second = co_await ask_hiprtc(std::move(request), compiled.build);
  }
  co_return compiled;
}

Awaitable<Build> GateCompiler::ask_hiprtc(CompileRequest request, const Build& clang) {
  request.source = clang.device_source;
  const std::string target = request.target;
  auto asked = co_await hiprtc_->compiler.build(std::move(request));
  Build build;
  if (asked.ok()) {
    build = std::move(asked->build);
    build.tokens_hash = clang.tokens_hash;  // the prelude hides which compiler it is
    if (build.failure && is_old(hiprtc_->version)) {
      build.gate_unavailable = "hiprtc " + hiprtc_->version + " lacks what " + clang.compiler +
                               " " + clang.compiler_version + " accepts: " + build.failure->reason;
    } else if (!build.failure && !take_signatures(clang, build)) {
      build.gate_unavailable =
          "hiprtc " + hiprtc_->version + " names other kernels than " + clang.compiler;
      build.kernels.clear();
    }
  } else {
    build.target = target;
    build.compiler = "hiprtc";
    build.compiler_version = hiprtc_->version;
    build.device_source = clang.device_source;
    build.tokens_hash = clang.tokens_hash;
    build.gate_unavailable = "hiprtc could not be asked: " + asked.error().message();
  }
  co_return build;
}

}  // namespace kvgen
