#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "kvgen/base/result.h"
#include "world.h"

// One add_X a subcommand, in X_command.cpp: it declares the options and the help.

namespace kvgen::tools {

// Does what the user asked for; gives an exit code (exit_codes.h), or the error that
// the command line tells and turns into one.
using Action = std::function<Result<int>(const World& world)>;

// Declares a subcommand whose options are an `Options`. When the user names it,
// `chosen` becomes `run` on the options as parsed.
template <class Options>
std::pair<CLI::App*, Options&> declare(CLI::App& app, Action& chosen, const char* name,
                                       const char* help,
                                       Result<int> (*run)(const Options&, const World&)) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(name, help);
  command->callback([options, run, &chosen] {
    chosen = [options, run](const World& world) { return run(*options, world); };
  });
  return {command, *options};
}

void add_ingest(CLI::App& app, Action& chosen);
void add_run(CLI::App& app, Action& chosen);
void add_verify(CLI::App& app, Action& chosen);
void add_prompt(CLI::App& app, Action& chosen);
void add_status(CLI::App& app, Action& chosen);
void add_explain(CLI::App& app, Action& chosen);
void add_show(CLI::App& app, Action& chosen);
void add_repro(CLI::App& app, Action& chosen);
void add_export(CLI::App& app, Action& chosen);
void add_new_task(CLI::App& app, Action& chosen);
void add_doctor(CLI::App& app, Action& chosen);

}  // namespace kvgen::tools
