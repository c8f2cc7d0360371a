#include <ostream>

#include "commands.h"
#include "kvgen/export/extension.h"
#include "kvgen/store/corpus.h"

namespace kvgen::tools {
namespace {

struct ExportOptions {
  std::string id;
  std::string from;
  std::string format = "extension";
  std::string out;
};

Result<int> export_attempt(const ExportOptions& options, const World& world) {
  TRY(const auto corpus, Corpus::open(*world.files, *world.clock, options.from));
  TRY(const StoredAttempt stored, corpus->attempt(options.id));
  for (const std::string& fault : stored.faults) {
    *world.err << "kvgen export: the record was changed: " << fault << "\n";
  }
  if (!stored.attempt.outcome.verified()) {
    *world.err << "kvgen export: this attempt is not verified: "
               << to_string(stored.attempt.outcome.kind) << "\n";
  }
  TRY(const Extension extension, make_extension(stored.task, stored.attempt));
  if (options.out.empty()) {
    *world.out << extension.text();
    return 0;
  }
  TRY_VOID(world.files->write_atomically(options.out, extension.text()));
  *world.err << options.out << "\n";
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& chosen) {
  auto [command, options] = declare<ExportOptions>(
      app, chosen, "export",
      "Write a recorded kernel as a PyTorch extension in HIP.\n\nExample:\n"
      "  kvgen export 3f9a12 --from RUN --out softmax.hip\n\n"
      "The file holds the kernels as verified, a launcher made from the plan, and\n"
      "PYBIND11_MODULE with forward(inputs..., parameters..., symbols...).",
      export_attempt);
  command
      ->add_option("ID", options.id, "Of an attempt, a sample or a candidate, or its first digits")
      ->required();
  command->add_option("--from", options.from, "A run, a folder of shards, or a shard")->required();
  command->add_option("--format", options.format, "What to write")
      ->check(CLI::IsMember({"extension"}))
      ->capture_default_str();
  command->add_option("--out", options.out, "The file (default: stdout)");
}

}  // namespace kvgen::tools
