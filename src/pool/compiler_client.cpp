#include "kvgen/pool/clients.h"
#include "kvgen/worker/protocol.h"
#include "pool/known_good.h"

namespace kvgen {
namespace {

constexpr std::chrono::seconds kDeadline{90};
constexpr int kFreshWorkers = 3;

Result<Compiled> read_answer(Message reply) {
  TRY(CompileAnswer answer, compile_answer_from(reply.json));
  Compiled compiled{std::move(answer.build), nullptr};
  if (!compiled.build.usable()) return compiled;
  if (reply.fds.size() != 1) {
    return Error(Code::kWorker, "the compiler answered without an object");
  }
  compiled.object = reply.fds.front();
  return compiled;
}

Message call_for(const CompileRequest& request) {
  return {to_json(CompileCall{request.source, request.target, request.kernels}), {}};
}

class WorkerCompiler : public Compiler {
 public:
  explicit WorkerCompiler(WorkerGroup& workers) : workers_(workers) {}

  Awaitable<Result<Compiled>> build(CompileRequest request) override {
    std::string last_death;
    for (int dead = 0; dead < kFreshWorkers; ++dead) {
      auto worker = co_await workers_.lease();
      auto reply = co_await worker.ask("compile", call_for(request), kDeadline);
      if (reply.ok()) co_return read_answer(std::move(reply).value());
      if (!worker_failed(reply.error())) co_return std::move(reply).error();
      last_death = reply.error().message();
      CO_TRY_VOID(co_await compile_known_good(worker, request.target));
    }
    co_return died_of(request, last_death);
  }

 private:
  static Awaitable<Result<void>> compile_known_good(WorkerGroup::Lease& worker,
                                                    const std::string& target) {
    const CompileRequest canary{pool::kKnownGoodSource, target, {pool::kKnownGoodKernel}};
    for (int tries = 2;; --tries) {
      auto reply = co_await worker.ask("compile", call_for(canary), kDeadline);
      if (reply.ok()) {
        auto compiled = read_answer(std::move(reply).value());
        if (compiled.ok() && compiled->build.usable()) co_return ok();
        co_return Error(Code::kWorker, "the compiler refuses a known-good kernel for " + target +
                                           ": this machine, not the candidate");
      }
      if (tries <= 1 || !worker_failed(reply.error())) {
        Error error = std::move(reply).error();
        error.prepend("on a known-good kernel too");
        co_return error;
      }
    }
  }

  static Result<Compiled> died_of(const CompileRequest& request, const std::string& how) {
    Build build;
    build.target = request.target;
    build.compiler = "clang";
    build.failure = Outcome{OutcomeKind::kCompileError,
                            Stage::kCompile,
                            "the compiler dies on this source: " + how,
                            {{"fresh_workers", kFreshWorkers}}};
    return Compiled{std::move(build), nullptr};
  }

  WorkerGroup& workers_;
};

}  // namespace

std::unique_ptr<Compiler> make_compiler(WorkerGroup& workers) {
  return std::make_unique<WorkerCompiler>(workers);
}

}  // namespace kvgen
