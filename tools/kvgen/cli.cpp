#include "cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "commands.h"
#include "exit_codes.h"
#include "settings.h"

namespace kvgen::tools {
namespace {

constexpr const char* kAbout =
    "Turns PyTorch reference modules into verified, profiled GPU kernels.\n\n"
    "Example:\n"
    "  kvgen run --tasks data/tasks --generator builtin --device cpu --out RUN\n";

void add_commands(CLI::App& app, Action& chosen) {
  add_ingest(app, chosen);
  add_run(app, chosen);
  add_verify(app, chosen);
  add_prompt(app, chosen);
  add_status(app, chosen);
  add_explain(app, chosen);
  add_show(app, chosen);
  add_repro(app, chosen);
  add_export(app, chosen);
  add_new_task(app, chosen);
  add_doctor(app, chosen);
}

// Read by with_settings; here only so that it is known and in the help.
void add_config(CLI::App& app, std::string& file) {
  for (CLI::App* command : app.get_subcommands({})) {
    command->add_option("--config", file, "Options from a TOML file (docs/configuration.md)");
  }
}

}  // namespace

int run_cli(int argc, char** argv, const World& world) {
  CLI::App app(kAbout, "kvgen");
  app.require_subcommand(1);
  app.set_version_flag("--version", "kvgen " KVGEN_VERSION);
  Action chosen;
  add_commands(app, chosen);
  std::string config;
  add_config(app, config);
  const std::vector<CLI::App*> commands = app.get_subcommands({});
  const auto is_named = [&](const CLI::App* command) { return command->check_name(argv[1]); };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), is_named)) {
    *world.err << "kvgen: there is no command \"" << argv[1] << "\"; there are";
    for (const CLI::App* command : commands) *world.err << " " << command->get_name();
    *world.err << " (kvgen --help)\n";
    return kUsageError;
  }
  for (const std::string& warning : unknown_variables(app, world)) {
    *world.err << "kvgen: " << warning << "\n";
  }
  auto arguments = with_settings(app, std::vector<std::string>(argv + 1, argv + argc), world);
  if (!arguments.ok()) {
    *world.err << "kvgen: " << arguments.error().message() << "\n";
    return exit_code_for(arguments.error());
  }
  try {
    std::reverse(arguments->begin(), arguments->end());  // as CLI11 wants it
    app.parse(std::move(*arguments));
  } catch (const CLI::ParseError& wrong) {
    const int code = app.exit(wrong, *world.out, *world.err);
    return code == 0 ? kDone : kUsageError;
  }
  const Result<int> done = chosen(world);
  if (done.ok()) return *done;
  *world.err << "kvgen " << app.get_subcommands().front()->get_name() << ": "
             << done.error().message() << "\n";
  return exit_code_for(done.error());
}

}  // namespace kvgen::tools
