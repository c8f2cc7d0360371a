#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <ostream>

#include "commands.h"
#include "exit_codes.h"
#include "ingest_step.h"
#include "kvgen/generate/extract.h"
#include "kvgen/pipeline/verifier.h"
#include "random_seed.h"
#include "report.h"
#include "scratch.h"
#include "session.h"

namespace kvgen::tools {
namespace {

constexpr std::uint64_t kReplyLimit = 64UL << 20;

struct Judged {
  Task task;
  Attempt attempt;
};

Awaitable<Result<Judged>> work(const VerifyCommandOptions& options, const World& world,
                               Workshop& shop, const fs::path& bundles) {
  Judged judged;
  CO_TRY(std::vector<IngestedSource> sources,
         co_await ingest_step(world, shop, {options.task}, bundles));
  if (sources.size() != 1) {
    co_return Error(Code::kUsage, options.task + " holds " + std::to_string(sources.size()) +
                                      " tasks; name one file or bundle");
  }
  if (!sources.front().task) co_return Error(Code::kInvalid, sources.front().reason);
  judged.task = std::move(*sources.front().task);

  Attempt& attempt = judged.attempt;
  attempt.task_hash = judged.task.hash;
  CO_TRY(std::string text, world.files->read(options.candidate, kReplyLimit));
  attempt.reply = Reply{std::move(text), {{"generator", "file"}}};
  Extracted extracted = extract(*attempt.reply);
  attempt.candidate = std::move(extracted.candidate);
  if (!attempt.candidate) {
    attempt.outcome = std::move(extracted.outcome).value();
    co_return judged;
  }
  CO_TRY_VOID(co_await shop.open_compiler_and_runner());
  const std::uint64_t seed = options.seed ? *options.seed : random_seed();
  Verifier verifier(shop.compiler(), shop.runner(), shop.referee(), shop.machine(),
                    shop.verify_options(seed, options.profile));
  Cases cases(judged.task);
  CO_TRY_VOID(co_await verifier.prove(cases, attempt));
  co_return judged;
}

}  // namespace

int verify_command(const VerifyCommandOptions& options, const World& world) {
  const auto fail = [&](const Error& error) {
    *world.err << "kvgen verify: " << error.message() << "\n";
    return exit_code_for(error);
  };
  auto scratch = Scratch::create(world.scratch);
  if (!scratch.ok()) return fail(scratch.error());
  boost::asio::io_context loop;
  Workshop shop(loop, world, options.machine, scratch->path(), null_log());
  const auto judged =
      run_to_end<Judged>(loop, work(options, world, shop, scratch->path() / "tasks"), [&] {
        shop.kill_workers();
        *world.err << "\ninterrupted\n" << std::flush;
        std::_Exit(kInterrupted);
      });
  if (!judged.ok()) return fail(judged.error());

  const Attempt& attempt = judged->attempt;
  *world.err << explain(judged->task, attempt) << std::flush;
  for (const std::string& mark : judged->task.marks) {
    *world.err << "  task mark  " << mark << "\n";
  }
  if (options.json) {
    Json json = to_json(attempt);
    json["task_name"] = judged->task.name;
    json["marks"] = judged->task.marks;
    *world.out << to_line(json) << "\n";
  }
  if (attempt.outcome.verified()) return kDone;
  return attempt.outcome.kind == OutcomeKind::kNotJudgedHere ? kNotAllJudged : kRejected;
}

}  // namespace kvgen::tools
