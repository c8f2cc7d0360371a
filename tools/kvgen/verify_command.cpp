#include <ostream>

#include "commands.h"
#include "exit_codes.h"
#include "ingest_step.h"
#include "kvgen/generate/extract.h"
#include "kvgen/pipeline/verifier.h"
#include "random_seed.h"
#include "report.h"
#include "session.h"

namespace kvgen::tools {
namespace {

constexpr std::uint64_t kReplyLimit = 64UL << 20;

struct VerifyCommandOptions {
  std::string task;
  std::string candidate;
  std::optional<std::uint64_t> seed;
  bool profile = true;
  bool json = false;
  MachineOptions machine;
};

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

Result<int> verify(const VerifyCommandOptions& options, const World& world) {
  TRY(const auto session, Session::in_scratch(world, options.machine));
  TRY(const Judged judged,
      session->run(work(options, world, session->shop(), session->folder() / "tasks"), ""));
  const Attempt& attempt = judged.attempt;
  *world.err << explain(judged.task, attempt) << std::flush;
  for (const std::string& mark : judged.task.marks) *world.err << "  task mark  " << mark << "\n";
  if (options.json) {
    Json json = to_json(attempt);
    json["task_name"] = judged.task.name;
    json["marks"] = judged.task.marks;
    *world.out << to_line(json) << "\n";
  }
  if (attempt.outcome.verified()) return kDone;
  return attempt.outcome.kind == OutcomeKind::kNotJudgedHere ? kNotAllJudged : kRejected;
}

}  // namespace

void add_verify(CLI::App& app, Action& chosen) {
  auto [command, options] = declare<VerifyCommandOptions>(
      app, chosen, "verify",
      "Compile, check and time one kernel.\n\nExample:\n"
      "  kvgen verify --task data/tasks/softmax.py --candidate softmax.md\n\n"
      "The candidate file is a reply: a ```hip block and a ```json block with the plan.\n"
      "Exit code 0: verified, 10: rejected, 4: could not be judged here.",
      verify);
  command->add_option("--task", options.task, "A module file or a bundle")->required();
  command->add_option("--candidate", options.candidate, "The reply file")->required();
  command->add_option("--seed", options.seed,
                      "Fixes the seeds of the inputs (default: drawn at random)");
  command->add_flag("!--no-profile", options.profile, "Do not time it");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_machine(*command, options.machine);
}

}  // namespace kvgen::tools
