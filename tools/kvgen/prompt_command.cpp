#include <ostream>

#include "commands.h"
#include "exit_codes.h"
#include "judge_step.h"
#include "kvgen/generate/feedback.h"
#include "kvgen/generate/prompt.h"
#include "kvgen/store/run_journal.h"
#include "session.h"

namespace kvgen::tools {
namespace {

constexpr std::size_t kShortestId = 6;

struct PromptOptions {
  std::string task;
  std::string after;
  bool json = false;
  MachineOptions machine;
};

struct Asked {
  Task task;
  History history;
};

// The attempts of a task up to the one whose id begins so.
std::optional<History> up_to(const std::vector<Attempt>& attempts, const std::string& id) {
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (!attempts[i].id().starts_with(id)) continue;
    return History(attempts.begin(), attempts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return std::nullopt;
}

Result<Asked> after(const std::string& place, const World& world) {
  const fs::path path(place);
  const std::string id = path.filename().string();
  if (!path.has_parent_path() || id.size() < kShortestId) {
    return Error(Code::kUsage, "--after " + place + ": RUN/ID, with at least " +
                                   std::to_string(kShortestId) + " characters of the attempt's id");
  }
  TRY(const auto journal,
      RunJournal::open_existing(path.parent_path(), *world.files, *world.clock));
  TRY(const std::vector<std::string> hashes, journal->task_hashes());
  for (const std::string& hash : hashes) {
    TRY(const std::vector<Attempt> attempts, journal->finished_attempts(hash));
    auto history = up_to(attempts, id);
    if (!history) continue;
    TRY(Task task, journal->task(hash));
    for (Attempt& attempt : *history) {
      if (attempt.card.is_null()) attempt.card = feedback_card(task, attempt);
    }
    return Asked{std::move(task), std::move(*history)};
  }
  return Error(Code::kNotFound, path.parent_path().string() + " has no finished attempt " + id);
}

Result<int> prompt(const PromptOptions& options, const World& world) {
  if (options.task.empty() == options.after.empty()) {
    return Error(Code::kUsage, "name a task with --task, or an attempt with --after RUN/ID");
  }
  Asked asked;
  if (!options.after.empty()) {
    TRY(asked, after(options.after, world));
  } else {
    TRY(const auto session, Session::in_scratch(world, options.machine));
    TRY(asked.task, session->run(task_at(options.task, world, *session), ""));
  }
  TRY(const auto book, PromptBook::load(*world.files, world.share / "configs" / "prompts" / "hip"));
  TRY(const Json messages, book->messages(asked.task, options.machine.archs, asked.history));
  if (options.json) {
    *world.out << to_line({{"messages", messages}, {"prompt", book->describe()}}) << "\n";
    return kDone;
  }
  for (const Json& message : messages) {
    *world.out << "==== " << message["role"].get<std::string>() << " ====\n"
               << message["content"].get<std::string>() << "\n";
  }
  return kDone;
}

}  // namespace

void add_prompt(CLI::App& app, Action& chosen) {
  auto [command, options] =
      declare<PromptOptions>(app, chosen, "prompt",
                             "Show what a language model is asked.\n\nExample:\n"
                             "  kvgen prompt --task data/tasks/softmax.py\n"
                             "  kvgen prompt --after RUN/1f3a9c  (what follows on that attempt)",
                             prompt);
  command->add_option("--task", options.task, "A module file or a bundle");
  command->add_option("--after", options.after, "RUN/ID: the turn after that attempt of a run");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_machine(*command, options.machine);
}

}  // namespace kvgen::tools
