#include <cstring>

#include "kvgen/plan/resolved.h"
#include "kvgen/pool/clients.h"
#include "kvgen/worker/arena.h"
#include "pool/known_good.h"

namespace kvgen {
namespace {

constexpr std::int64_t kArenaLimit = 1 << 20;

ResolvedPlan plan_for(const std::string& symbol) {
  ResolvedLaunch launch;
  launch.symbol = symbol;
  launch.name = pool::kKnownGoodKernel;
  launch.block[0] = 64;
  launch.grid[0] = (pool::kKnownGoodElements + 63) / 64;
  launch.arguments = {ResolvedPlace{ResolvedPlace::Space::kInput, 0, 0},
                      ResolvedPlace{ResolvedPlace::Space::kOutput, 0, 0},
                      ResolvedScalar{4, static_cast<std::uint64_t>(pool::kKnownGoodElements)}};
  ResolvedPlan plan;
  plan.run.push_back({std::move(launch), "run[0]"});
  return plan;
}

Result<ArenaRef> arena_of(const char* name, TensorRole role, const std::vector<float>& values,
                          bool freeze) {
  TRY(ArenaLayout layout,
      lay_out({{name, role, DType::kFloat32, {pool::kKnownGoodElements}}}, kArenaLimit));
  TRY(Arena arena, Arena::create(name, std::move(layout)));
  const auto bytes = arena.data(arena.layout().tensors.front());
  std::memcpy(bytes.data(), values.data(), bytes.size());
  TRY_VOID(arena.seal(freeze));
  return ArenaRef{arena.fd(), to_json(arena.layout())};
}

}  // namespace

Awaitable<Result<Canary>> make_canary(Compiler& compiler, const std::string& target) {
  CompileRequest request{pool::kKnownGoodSource, target, {pool::kKnownGoodKernel}};
  CO_TRY(Compiled compiled, co_await compiler.build(std::move(request)));
  const KernelInfo* kernel = compiled.build.kernel(pool::kKnownGoodKernel);
  if (!compiled.build.usable() || kernel == nullptr) {
    co_return Error(Code::kMissing,
                    "the compiler refuses a known-good kernel for " + target + ": " +
                        (compiled.build.failure ? compiled.build.failure->reason
                                                : std::string("no such kernel in its answer")));
  }
  Canary canary;
  std::vector<float> inputs;
  for (int i = 0; i < pool::kKnownGoodElements; ++i) {
    inputs.push_back(static_cast<float>(i) * 0.5F);
    canary.expected.push_back(static_cast<float>(i) + 1.0F);
  }
  const std::vector<float> zeros(pool::kKnownGoodElements, 0.0F);
  canary.request.object = compiled.object;
  canary.request.plan = to_json(plan_for(kernel->symbol));
  CO_TRY(canary.request.inputs, arena_of("x", TensorRole::kInput, inputs, true));
  CO_TRY(canary.request.outputs, arena_of("y", TensorRole::kOutput, zeros, false));
  canary.request.cores = 1;
  co_return canary;
}

}  // namespace kvgen
