#include "judge_step.h"

#include "exit_codes.h"
#include "ingest_step.h"
#include "kvgen/generate/extract.h"
#include "kvgen/pipeline/verifier.h"
#include "random_seed.h"

namespace kvgen::tools {
namespace {

constexpr std::uint64_t kReplyLimit = 64UL << 20;

}  // namespace

void add_judging(CLI::App& command, JudgeRequest& request) {
  command.add_option("--seed", request.seed,
                     "Fixes the seeds of the inputs (default: drawn at random)");
  command.add_flag("!--no-profile", request.profile, "Do not time it");
}

Awaitable<Result<Task>> task_at(const std::string& path, const World& world, Session& session) {
  CO_TRY(std::vector<IngestedSource> sources,
         co_await ingest_step(world, session.shop(), {path}, session.folder() / "tasks"));
  if (sources.size() != 1) {
    co_return Error(Code::kUsage, path + " holds " + std::to_string(sources.size()) +
                                      " tasks; name one file or bundle");
  }
  if (!sources.front().task) co_return Error(Code::kInvalid, sources.front().reason);
  co_return std::move(*sources.front().task);
}

Awaitable<Result<Judged>> judge_step(const JudgeRequest& request, const World& world,
                                     Session& session) {
  Judged judged;
  CO_TRY(judged.task, co_await task_at(request.task, world, session));
  Attempt& attempt = judged.attempt;
  attempt.task_hash = judged.task.hash;
  CO_TRY(std::string text, world.files->read(request.candidate, kReplyLimit));
  attempt.reply = Reply{std::move(text), {{"generator", "file"}, {"file", request.candidate}}};
  Extracted extracted = extract(*attempt.reply);
  attempt.candidate = std::move(extracted.candidate);
  if (!attempt.candidate) {
    attempt.outcome = std::move(extracted.outcome).value();
    co_return judged;
  }
  Workshop& shop = session.shop();
  CO_TRY_VOID(co_await shop.open_compiler_and_runner());
  const std::uint64_t seed = request.seed ? *request.seed : random_seed();
  Verifier verifier(shop.compiler(), shop.runner(), shop.referee(), shop.machine(),
                    shop.verify_options(seed, request.profile));
  Cases cases(judged.task);
  CO_TRY_VOID(co_await verifier.prove(cases, attempt));
  co_return judged;
}

int exit_code_for(const Outcome& outcome) {
  if (outcome.verified()) return kDone;
  return outcome.kind == OutcomeKind::kNotJudgedHere ? kNotAllJudged : kRejected;
}

}  // namespace kvgen::tools
