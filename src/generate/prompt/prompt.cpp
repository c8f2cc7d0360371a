#include "kvgen/generate/prompt.h"

#include <algorithm>

#include "generate/prompt/describe_task.h"
#include "generate/prompt/fence.h"
#include "generate/prompt/template.h"
#include "kvgen/base/hash.h"

namespace kvgen {
namespace {

using generate::fenced;
using generate::Template;
using generate::TemplateValues;

constexpr std::uint64_t kTemplateLimit = 256UL << 10;
constexpr std::size_t kLargestSource = 128UL << 10;
constexpr std::size_t kShownReply = 4000;

// From nothing to verified: how far an attempt came.
int rank_of(const Attempt& attempt) {
  switch (attempt.outcome.kind) {
    case OutcomeKind::kVerified:
      return 6;
    case OutcomeKind::kNotJudgedHere:
      return 5;
    case OutcomeKind::kWrongOutput:
    case OutcomeKind::kNondeterministic:
    case OutcomeKind::kUnwrittenOutput:
      return 4;
    case OutcomeKind::kCompileError:
      return 2;
    case OutcomeKind::kBadPlan:
      return attempt.builds.empty() ? 1 : 3;  // a plan that does not fit its kernels
    case OutcomeKind::kNoCandidate:
    case OutcomeKind::kCheating:
      return 0;
    default:
      return 3;
  }
}

Json message(const char* role, std::string content) {
  return {{"role", role}, {"content", std::move(content)}};
}

// What the model is shown as its own earlier answer.
std::string answer_of(const Attempt& attempt) {
  if (attempt.candidate) {
    return fenced("hip", attempt.candidate->source) + "\n" +
           fenced("json", attempt.candidate->plan_text);
  }
  if (!attempt.reply || attempt.reply->text.empty()) return "(no answer)";
  return generate::one_line(attempt.reply->text, kShownReply);
}

std::string card_text(const Attempt& attempt) {
  if (!attempt.card.is_object()) return std::string(to_string(attempt.outcome.kind));
  return attempt.card.value("text", "");
}

class Book final : public PromptBook {
 public:
  Result<void> read(Files& files, const fs::path& folder);

  Result<Json> messages(const Task& task, const std::vector<std::string>& archs,
                        const History& history) const override;
  Json describe() const override { return {{"name", name_}, {"hash", hash_}}; }

 private:
  Result<TemplateValues> task_values(const Task& task, const std::vector<std::string>& archs) const;

  std::string name_;
  std::string hash_;
  Json devices_;
  std::string example_module_;
  std::string example_task_;
  std::string example_reply_;
  std::optional<Template> system_;
  std::optional<Template> task_;
  std::optional<Template> refine_;
};

Result<void> Book::read(Files& files, const fs::path& folder) {
  name_ = folder.filename().string();
  std::string all;
  const auto read = [&](const char* file) -> Result<std::string> {
    TRY(std::string text, files.read(folder / file, kTemplateLimit));
    all += sha256(text);
    return text;
  };
  const auto parse = [&](const char* file, std::optional<Template>& into) -> Result<void> {
    TRY(const std::string text, read(file));
    TRY(into, Template::parse(text, (folder / file).string()));
    return ok();
  };
  TRY_VOID(parse("system.md", system_));
  TRY_VOID(parse("task.md", task_));
  TRY_VOID(parse("refine.md", refine_));
  TRY(const std::string devices, read("devices.json"));
  TRY(devices_, parse_json(devices));
  TRY(example_module_, read("example/module.py"));
  TRY(example_task_, read("example/task.md"));
  TRY(example_reply_, read("example/reply.md"));
  hash_ = sha256(all);
  return ok();
}

Result<TemplateValues> Book::task_values(const Task& task,
                                         const std::vector<std::string>& archs) const {
  if (task.source.size() > kLargestSource) {
    return Error(Code::kInvalid, task.name + ": the module's text has " +
                                     std::to_string(task.source.size()) +
                                     " bytes, too many for a prompt");
  }
  if (task.variants.empty()) return Error(Code::kInvalid, task.name + " has no variant");
  TemplateValues values = generate::describe_task(task);
  std::string devices;
  for (const std::string& arch : archs) {
    const auto known = devices_.find(arch);
    devices += "- " + arch;
    if (known != devices_.end() && known->is_string()) devices += ": " + known->get<std::string>();
    devices += "\n";
  }
  values["devices"] = devices;
  return values;
}

Result<Json> Book::messages(const Task& task, const std::vector<std::string>& archs,
                            const History& history) const {
  Json messages = Json::array();
  TRY(std::string system, system_->fill({{"example_module", fenced("python", example_module_)},
                                         {"example_task", example_task_},
                                         {"example_reply", example_reply_}}));
  messages.push_back(message("system", std::move(system)));
  TRY(const TemplateValues values, task_values(task, archs));
  TRY(std::string asked, task_->fill(values));
  messages.push_back(message("user", std::move(asked)));
  const Attempt* parent = best_so_far(history);
  if (parent == nullptr) return messages;
  messages.push_back(message("assistant", answer_of(*parent)));
  const Attempt& latest = history.back();
  TRY(std::string refine, refine_->fill({{"card", card_text(*parent)},
                                         {"later", &latest == parent ? "" : card_text(latest)}}));
  messages.push_back(message("user", std::move(refine)));
  return messages;
}

}  // namespace

const Attempt* best_so_far(const History& history) {
  const Attempt* best = nullptr;
  for (const Attempt& attempt : history) {
    if (best == nullptr || rank_of(attempt) >= rank_of(*best)) best = &attempt;
  }
  return best;
}

Result<std::unique_ptr<PromptBook>> PromptBook::load(Files& files, const fs::path& folder) {
  auto book = std::make_unique<Book>();
  TRY_VOID(book->read(files, folder));
  return std::unique_ptr<PromptBook>(std::move(book));
}

}  // namespace kvgen
