#include "cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "commands.h"
#include "exit_codes.h"

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
  add_doctor(app, chosen);
}

}  // namespace

int run_cli(int argc, char** argv, const World& world) {
  CLI::App app(kAbout, "kvgen");
  app.require_subcommand(1);
  app.set_version_flag("--version", "kvgen " KVGEN_VERSION);
  Action chosen;
  add_commands(app, chosen);
  const std::vector<CLI::App*> commands = app.get_subcommands({});
  const auto is_named = [&](const CLI::App* command) { return command->check_name(argv[1]); };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), is_named)) {
    *world.err << "kvgen: there is no command \"" << argv[1] << "\"; there are";
    for (const CLI::App* command : commands) *world.err << " " << command->get_name();
    *world.err << " (kvgen --help)\n";
    return kUsageError;
  }
  try {
    app.parse(argc, argv);
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
