#include <ostream>

#include "commands.h"
#include "exit_codes.h"
#include "ingest_step.h"
#include "session.h"

namespace kvgen::tools {
namespace {

struct IngestOptions {
  std::vector<std::string> sources;
  std::string out;
  bool json = false;
  SourceOptions rows;
  MachineOptions machine;
};

Json summary(const std::vector<IngestedSource>& sources) {
  Json list = Json::array();
  for (const IngestedSource& one : sources) {
    Json row = {{"source", one.source.where()}, {"name", one.source.name}};
    row["hash"] = one.task ? Json(one.task->hash) : Json(nullptr);
    row["marks"] = one.task ? Json(one.task->marks) : Json::array();
    row["reason"] = one.task ? Json(nullptr) : Json(one.reason);
    list.push_back(std::move(row));
  }
  return list;
}

Result<int> ingest(const IngestOptions& options, const World& world) {
  TRY(const auto session, Session::in_scratch(world, options.machine));
  TRY(const std::vector<IngestedSource> sources,
      session->run(ingest_step(world, session->shop(), options.sources, options.out, options.rows),
                   "the bundles written so far are whole"));

  tell_rejected(world, sources);
  std::size_t good = 0;
  for (const IngestedSource& one : sources) good += one.task ? 1 : 0;
  if (options.json) {
    *world.out << to_line({{"sources", summary(sources)}, {"out", options.out}}) << "\n";
  } else {
    for (const IngestedSource& one : sources) {
      if (!one.task) continue;
      *world.out << one.source.name << "  " << one.task->hash.substr(0, 16);
      for (const std::string& mark : one.task->marks) *world.out << "  [" << mark << "]";
      *world.out << "\n";
    }
  }
  *world.err << good << " of " << sources.size() << " captured · " << options.out << "\n";
  return good == sources.size() ? kDone : kFailed;
}

}  // namespace

void add_ingest(CLI::App& app, Action& chosen) {
  auto [command, options] = declare<IngestOptions>(
      app, chosen, "ingest",
      "Capture PyTorch modules as task bundles.\n\nExample:\n"
      "  kvgen ingest my_modules --out bundles\n"
      "  kvgen ingest rows.jsonl --column code --name-column name --out bundles\n"
      "  kvgen ingest layers.py --entry layers.py:Gate --mode eval --dtype bfloat16 --out "
      "bundles\n\n"
      "A module file has class Model(nn.Module), or a function module_fn, with get_inputs() and "
      "get_init_inputs(), which return a list, a dictionary of keywords, or both in a list.",
      ingest);
  command
      ->add_option("SRC", options.sources,
                   "Module files, folders of them, JSONL files with a module a row, or bundles")
      ->required();
  command->add_option("--out", options.out, "Folder for the bundles")->required();
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_sources(*command, options.rows);
  add_workers(*command, options.machine);
}

}  // namespace kvgen::tools
