#include <ostream>

#include "commands.h"
#include "judge_step.h"
#include "options.h"
#include "session.h"
#include "story.h"

namespace kvgen::tools {
namespace {

struct VerifyCommandOptions {
  JudgeRequest judge;
  bool json = false;
  MachineOptions machine;
};

Result<int> verify(const VerifyCommandOptions& options, const World& world) {
  TRY(const auto session, Session::in_scratch(world, options.machine));
  TRY(const Judged judged, session->run(judge_step(options.judge, world, *session), ""));
  const Attempt& attempt = judged.attempt;
  *world.err << story(judged.task, attempt) << std::flush;
  if (options.json) {
    Json json = to_json(attempt);
    json["task_name"] = judged.task.name;
    json["marks"] = judged.task.marks;
    *world.out << to_line(json) << "\n";
  }
  return exit_code_for(attempt.outcome);
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
  command->add_option("--task", options.judge.task, "A module file or a bundle")->required();
  command->add_option("--candidate", options.judge.candidate, "The reply file")->required();
  add_judging(*command, options.judge);
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_machine(*command, options.machine);
}

}  // namespace kvgen::tools
