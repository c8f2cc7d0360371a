#include <algorithm>
#include <ostream>

#include "agreement.h"
#include "commands.h"
#include "judge_step.h"
#include "kvgen/generate/extract.h"
#include "kvgen/store/corpus.h"
#include "options.h"
#include "session.h"
#include "text.h"

namespace kvgen::tools {
namespace {

struct ReproOptions {
  std::string id;
  std::string from;
  bool profile = true;
  bool json = false;
  MachineOptions machine;
};

// As the record has it: the same gates and cores, where this machine has them.
MachineOptions machine_for(const ReproOptions& options, const Attempt& attempt) {
  MachineOptions machine = options.machine;
  machine.archs.clear();
  for (const Build& build : attempt.builds) {
    const bool known =
        std::find(machine.archs.begin(), machine.archs.end(), build.target) != machine.archs.end();
    if (build.target != machine.device && !known) machine.archs.push_back(build.target);
  }
  if (machine.cores == 0 && attempt.profile) {
    machine.cores = std::min(attempt.profile->cores, cores_here());
  }
  return machine;
}

// The recorded attempt as it was before it was judged.
Attempt again(const Attempt& attempt) {
  Attempt fresh;
  fresh.task_hash = attempt.task_hash;
  fresh.turn = attempt.turn;
  fresh.reply = attempt.reply;
  fresh.candidate = attempt.candidate;
  if (fresh.candidate) fresh.candidate->remarks.clear();
  return fresh;
}

Awaitable<Result<Attempt>> work(const StoredAttempt& stored, bool profile, Workshop& shop) {
  Attempt attempt = again(stored.attempt);
  if (!attempt.candidate) {
    Extracted extracted = extract(*attempt.reply);
    attempt.candidate = std::move(extracted.candidate);
    if (!attempt.candidate) {
      attempt.outcome = std::move(extracted.outcome).value();
      co_return attempt;
    }
  }
  CO_TRY_VOID(co_await shop.open_referee());
  CO_TRY_VOID(co_await shop.open_compiler_and_runner());
  VerifyOptions options = shop.verify_options(0, profile);
  if (stored.attempt.verdict) {
    for (const CaseVerdict& one : stored.attempt.verdict->cases) {
      options.case_seeds[one.variant + "/" + one.distribution] = one.seed;
    }
  }
  Verifier verifier(shop.compiler(), shop.runner(), shop.referee(), shop.machine(), options);
  Cases cases(stored.task);
  CO_TRY_VOID(co_await verifier.prove(cases, attempt));
  co_return attempt;
}

void tell(const ReproOptions& options, const World& world, const StoredAttempt& stored,
          const Attempt& now, const std::vector<Agreement>& found) {
  if (options.json) {
    Json list = Json::array();
    for (const Agreement& one : found) {
      list.push_back({{"what", one.what}, {"state", to_string(one.state)}, {"detail", one.detail}});
    }
    Json json = {{"attempt", stored.id},
                 {"task", stored.task.hash},
                 {"task_name", stored.task.name},
                 {"agrees", agrees(found)},
                 {"then", to_json(stored.attempt.outcome)},
                 {"outcome", to_json(now.outcome)},
                 {"compared", list}};
    json["sample"] = stored.sample.empty() ? Json(nullptr) : Json(stored.sample);
    *world.out << to_line(json) << "\n";
    return;
  }
  std::string text = stored.task.name + ", attempt " + stored.id.substr(0, 16) + ": " +
                     (agrees(found) ? "as recorded" : "not as recorded") + "\n";
  for (const Agreement& one : found) {
    std::string line = format("  %-12s  ", std::string(to_string(one.state)).c_str());
    line += wrapped(one.what + ": " + one.detail, line.size(), kWidth) + "\n";
    text += line;
  }
  *world.out << text;
}

Result<int> repro(const ReproOptions& options, const World& world) {
  TRY(const auto corpus, Corpus::open(*world.files, *world.clock, options.from));
  TRY(const StoredAttempt stored, corpus->attempt(options.id));
  if (!stored.attempt.candidate && !stored.attempt.reply) {
    return Error(Code::kUsage,
                 "attempt " + stored.id.substr(0, 16) +
                     " holds no kernel to run again: " + stored.attempt.outcome.reason);
  }
  TRY(const auto session, Session::in_scratch(world, machine_for(options, stored.attempt)));
  TRY(const Attempt now, session->run(work(stored, options.profile, session->shop()), ""));
  tell(options, world, stored, now, compare(stored, now));
  return exit_code_for(now.outcome);
}

}  // namespace

void add_repro(CLI::App& app, Action& chosen) {
  auto [command, options] = declare<ReproOptions>(
      app, chosen, "repro",
      "Compile, verify and time a recorded kernel again, and say what agrees.\n\nExample:\n"
      "  kvgen repro 3f9a12 --from RUN\n\n"
      "Needs the records only: task, inputs' seeds, source and plan stand in them, so shards\n"
      "of another machine will do. Exit code 0: verified now, 10: rejected now, 4: could not\n"
      "be judged here.",
      repro);
  command
      ->add_option("ID", options.id, "Of an attempt, a sample or a candidate, or its first digits")
      ->required();
  command->add_option("--from", options.from, "A run, a folder of shards, or a shard")->required();
  command->add_flag("!--no-profile", options.profile, "Do not time it");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  command
      ->add_option("--cores", options.machine.cores,
                   "Cores of the cpu device (default: as recorded)")
      ->check(CLI::Range(1, 1024));
  add_workers(*command, options.machine);
}

}  // namespace kvgen::tools
