#include <ostream>

#include "commands.h"
#include "judge_step.h"
#include "kvgen/base/hash.h"
#include "kvgen/graph/cost.h"
#include "kvgen/graph/short_form.h"
#include "kvgen/store/corpus.h"
#include "options.h"
#include "session.h"
#include "text.h"

namespace kvgen::tools {
namespace {

struct ShowOptions {
  std::string what;
  bool json = false;
  MachineOptions machine;
};

std::string number_text(const std::variant<std::int64_t, double>& value) {
  return std::visit([](auto number) { return to_line(Json(number)); }, value);
}

Json json_of(const Task& task) {
  Json variants = Json::array();
  for (const Variant& variant : task.variants) {
    const GraphCost cost = cost_of(variant.graph);
    Json tensors = Json::array();
    for (const TensorSpec& spec : variant.tensors()) tensors.push_back(to_json(spec));
    Json symbols = Json::object();
    for (const Symbol& symbol : variant.symbols) {
      std::visit([&](auto value) { symbols[symbol.name] = value; }, symbol.value);
    }
    variants.push_back({{"name", variant.name},
                        {"tensors", tensors},
                        {"symbols", symbols},
                        {"graph", short_form(variant.graph, variant.symbols)},
                        {"flops", cost.flops},
                        {"minimal_bytes", cost.minimal_bytes}});
  }
  return {{"name", task.name},       {"hash", task.hash},
          {"entry", task.entry},     {"structural_hash", task.structural_hash},
          {"license", task.license}, {"origin", task.origin},
          {"marks", task.marks},     {"notes", task.notes},
          {"variants", variants}};
}

void tell_variant(std::string& out, const Variant& variant) {
  const GraphCost cost = cost_of(variant.graph);
  out += "\n" + variant.name + ": " + amount_text(cost.flops, "FLOP") + ", at least " +
         amount_text(static_cast<double>(cost.minimal_bytes), "B") + "\n";
  for (const TensorSpec& spec : variant.tensors()) {
    add_line(out, std::string(to_string(spec.role)),
             spec.name + " " + std::string(to_string(spec.dtype)) + to_text(spec.shape));
  }
  for (const Symbol& symbol : variant.symbols) {
    add_line(out, "symbol", symbol.name + " = " + number_text(symbol.value));
  }
}

std::string text_of(const Task& task) {
  std::string out = task.name + "\n";
  add_line(out, "entry", task.entry);
  add_line(out, "hash", task.hash);
  if (!task.license.empty()) add_line(out, "licence", task.license);
  if (!task.origin.empty()) add_line(out, "origin", task.origin);
  for (const std::string& mark : task.marks) add_line(out, "mark", mark);
  for (const std::string& note : task.notes) add_line(out, "note", note);
  for (const Variant& variant : task.variants) tell_variant(out, variant);
  if (!task.variants.empty()) {
    const Variant& first = task.variants.front();
    out += "\ngraph of " + first.name + ":\n" + short_form(first.graph, first.symbols);
    if (!out.ends_with('\n')) out += '\n';
  }
  return out;
}

// What stands in a run: its task, or an attempt with its kernel and plan.
Result<void> show_recorded(const ShowOptions& options, const World& world, const fs::path& run,
                           const std::string& id) {
  TRY(const auto corpus, Corpus::open(*world.files, *world.clock, run));
  auto task = corpus->task(id);
  if (task.ok()) {
    *world.out << (options.json ? to_line(json_of(*task)) + "\n" : text_of(*task));
    return ok();
  }
  if (task.error().code() != Code::kNotFound) return std::move(task).error();
  auto stored = corpus->attempt(id);
  if (!stored.ok()) {
    return stored.error().code() == Code::kUsage ? std::move(task).error()
                                                 : std::move(stored).error();
  }
  const Attempt& attempt = stored->attempt;
  if (options.json) {
    Json json = to_json(attempt);
    json["id"] = stored->id;
    *world.out << to_line(json) << "\n";
    return ok();
  }
  *world.out << stored->task.name << ", attempt " << short_id(stored->id) << ": "
             << to_string(attempt.outcome.kind) << "\n\n";
  if (attempt.candidate) {
    *world.out << "```hip\n"
               << attempt.candidate->source << "\n```\n\n```json\n"
               << attempt.candidate->plan_text << "\n```\n";
  } else if (attempt.reply) {
    *world.out << attempt.reply->text << "\n";
  }
  return ok();
}

Result<int> show(const ShowOptions& options, const World& world) {
  const fs::path path = options.what;
  if (!world.files->exists(path)) {
    if (path.parent_path().empty()) {
      return Error(Code::kNotFound, options.what + ": neither a file nor RUN/ID");
    }
    TRY_VOID(show_recorded(options, world, path.parent_path(), path.filename().string()));
    return 0;
  }
  TRY(const auto session, Session::in_scratch(world, options.machine));
  TRY(const Task task, session->run(task_at(options.what, world, *session), ""));
  *world.out << (options.json ? to_line(json_of(task)) + "\n" : text_of(task));
  return 0;
}

}  // namespace

void add_show(CLI::App& app, Action& chosen) {
  auto [command, options] = declare<ShowOptions>(
      app, chosen, "show",
      "Show a task: tensors, symbols, graph, work; or an attempt's kernel and plan.\n\n"
      "Examples:\n"
      "  kvgen show data/tasks/softmax.py\n"
      "  kvgen show RUN/softmax\n"
      "  kvgen show RUN/3f9a12\n",
      show);
  command
      ->add_option("WHAT", options.what,
                   "A module, a bundle, or RUN/ID with a task's name or hash or an attempt's id")
      ->required();
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_workers(*command, options.machine);
}

}  // namespace kvgen::tools
