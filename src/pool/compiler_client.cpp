#include "kvgen/pool/clients.h"
#include "kvgen/worker/protocol.h"
#include "pool/known_good.h"

namespace kvgen {
namespace {

constexpr std::chrono::seconds kDeadline{90};
constexpr int kFreshWorkers = 3;  // that must die on a source before it is blamed
constexpr int kSickMachine = 5;   // deaths on a known-good kernel before we give up

Result<Compiled> read_answer(Message reply, const CompileRequest& request) {
  TRY(CompileAnswer answer, compile_answer_from(reply.json));
  Compiled compiled{std::move(answer.build), nullptr};
  // A text that was not changed does not travel back.
  if (compiled.build.device_source.empty()) compiled.build.device_source = request.source;
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
  WorkerCompiler(WorkerGroup& workers, std::string name)
      : workers_(workers), name_(std::move(name)) {}

  Awaitable<Result<Compiled>> build(CompileRequest request) override {
    std::string last_death;
    int on_known_good = 0;
    for (int dead = 0; dead < kFreshWorkers;) {
      auto worker = co_await workers_.lease();
      auto reply = co_await worker.ask("compile", call_for(request), kDeadline);
      if (reply.ok()) co_return read_answer(std::move(reply).value(), request);
      if (!worker_failed(reply.error())) co_return std::move(reply).error();
      last_death = reply.error().message();
      CO_TRY(const bool well, co_await compiles_known_good(worker, request.target));
      if (well) {
        ++dead;
      } else if (++on_known_good == kSickMachine) {
        co_return Error(Code::kWorker, "the compiler dies on a known-good kernel too (" +
                                           last_death + "): this machine, not the candidate");
      }
    }
    co_return died_of(request, last_death);
  }

 private:
  // False: it died. An Error: it lives and refuses what it must accept.
  static Awaitable<Result<bool>> compiles_known_good(WorkerGroup::Lease& worker,
                                                     const std::string& target) {
    const CompileRequest canary{pool::kKnownGoodSource, target, {pool::kKnownGoodKernel}};
    auto reply = co_await worker.ask("compile", call_for(canary), kDeadline);
    if (!reply.ok()) {
      if (worker_failed(reply.error())) co_return false;
      co_return std::move(reply).error();
    }
    CO_TRY(const Compiled compiled, read_answer(std::move(reply).value(), canary));
    if (compiled.build.usable()) co_return true;
    co_return Error(Code::kWorker, "the compiler refuses a known-good kernel for " + target +
                                       ": this machine, not the candidate");
  }

  Result<Compiled> died_of(const CompileRequest& request, const std::string& how) const {
    Build build;
    build.target = request.target;
    build.compiler = name_;
    build.failure = Outcome{OutcomeKind::kCompileError,
                            Stage::kCompile,
                            "the compiler dies on this source: " + how,
                            {{"fresh_workers", kFreshWorkers}}};
    return Compiled{std::move(build), nullptr};
  }

  WorkerGroup& workers_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Compiler> make_compiler(WorkerGroup& workers, std::string name) {
  return std::make_unique<WorkerCompiler>(workers, std::move(name));
}

}  // namespace kvgen
