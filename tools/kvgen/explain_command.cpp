#include <ostream>

#include "commands.h"
#include "judge_step.h"
#include "kvgen/store/corpus.h"
#include "options.h"
#include "session.h"
#include "story.h"

namespace kvgen::tools {
namespace {

struct ExplainOptions {
  std::string what;
  std::string from;
  JudgeRequest judge;
  bool json = false;
  MachineOptions machine;
};

int tell(const ExplainOptions& options, const World& world, const Task& task,
         const Attempt& attempt) {
  if (options.json) {
    Json json = to_json(attempt);
    json["task_name"] = task.name;
    json["story"] = story(task, attempt);
    *world.out << to_line(json) << "\n";
  } else {
    *world.out << story(task, attempt) << std::flush;
  }
  return exit_code_for(attempt.outcome);
}

Result<int> explain(const ExplainOptions& options, const World& world) {
  if (options.from.empty() == options.judge.task.empty()) {
    return Error(Code::kUsage,
                 "an ID needs --from RUN, a reply file needs --task TASK; give one of the two");
  }
  if (!options.from.empty()) {
    TRY(const auto corpus, Corpus::open(*world.files, *world.clock, options.from));
    TRY(const StoredAttempt stored, corpus->attempt(options.what));
    tell(options, world, stored.task, stored.attempt);
    for (const std::string& fault : stored.faults) {
      *world.err << "kvgen explain: the record was changed: " << fault << "\n";
    }
    return 0;
  }
  JudgeRequest request = options.judge;
  request.candidate = options.what;
  TRY(const auto session, Session::in_scratch(world, options.machine));
  TRY(const Judged judged, session->run(judge_step(request, world, *session), ""));
  return tell(options, world, judged.task, judged.attempt);
}

}  // namespace

void add_explain(CLI::App& app, Action& chosen) {
  auto [command, options] = declare<ExplainOptions>(
      app, chosen, "explain",
      "Tell the story of an attempt: what was built, what failed where, what to do.\n\n"
      "Examples:\n"
      "  kvgen explain 3f9a12 --from RUN\n"
      "  kvgen explain softmax.md --task data/tasks/softmax.py\n\n"
      "An ID is an attempt's, a sample's or a candidate's, or its first digits; of a file,\n"
      "what `verify` finds is told (and its exit codes are used).",
      explain);
  command->add_option("WHAT", options.what, "An ID of the run, or a reply file")->required();
  command->add_option("--from", options.from, "A run, a folder of shards, or a shard");
  command->add_option("--task", options.judge.task, "A module file or a bundle");
  add_judging(*command, options.judge);
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_machine(*command, options.machine);
}

}  // namespace kvgen::tools
