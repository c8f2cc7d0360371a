#include "cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "commands.h"
#include "exit_codes.h"
#include "options.h"

namespace kvgen::tools {
namespace {

constexpr const char* kAbout =
    "Turns PyTorch reference modules into verified, profiled GPU kernels.\n\n"
    "Example:\n"
    "  kvgen run --tasks data/tasks --generator builtin --device cpu --out RUN\n";

void add_machine(CLI::App& command, MachineOptions& machine, bool runs_candidates) {
  command.add_option("--jobs", machine.jobs, "Tasks at once (default: the cores, at most 4)")
      ->check(CLI::Range(1, 256));
  command
      .add_option("--torch-python", machine.torch_python,
                  "A Python that has torch, for capturing modules")
      ->check(CLI::ExistingFile);
  if (!runs_candidates) return;
  command.add_option("--device", machine.device, "Where candidates run")
      ->check(CLI::IsMember({"cpu"}))
      ->capture_default_str();
  command.add_option("--arch", machine.archs, "Architectures that must compile it")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--cores", machine.cores, "Cores of the cpu device (default: all)")
      ->check(CLI::Range(1, 1024));
}

struct Commands {
  IngestOptions ingest;
  RunCommandOptions run;
  VerifyCommandOptions verify;
  DoctorOptions doctor;
};

CLI::App* add_ingest(CLI::App& app, IngestOptions& options) {
  CLI::App* command = app.add_subcommand(
      "ingest",
      "Capture PyTorch modules as task bundles.\n\nExample:\n"
      "  kvgen ingest my_modules --out bundles\n\n"
      "A module file has class Model(nn.Module), get_inputs() and get_init_inputs().");
  command->add_option("SRC", options.sources, "Module files, folders of them, or bundles")
      ->required();
  command->add_option("--out", options.out, "Folder for the bundles")->required();
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_machine(*command, options.machine, false);
  return command;
}

CLI::App* add_run(CLI::App& app, RunCommandOptions& options) {
  CLI::App* command = app.add_subcommand(
      "run",
      "Generate, verify and time kernels for tasks; write them as shards.\n\nExample:\n"
      "  kvgen run --tasks data/tasks --generator builtin --device cpu --out RUN\n\n"
      "A RUN that exists is resumed when its settings agree.");
  command->add_option("--tasks", options.tasks, "Module files, folders of them, or bundles")
      ->required();
  command->add_option("--generator", options.generator, "builtin, or replay:DIR")->required();
  command->add_option("--attempts", options.attempts, "Most attempts a task")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--out", options.out, "The run's folder")->required();
  command->add_option("--seed", options.seed, "Fixes all seeds (default: drawn at random)");
  command->add_flag("!--no-profile", options.profile, "Do not time what was verified");
  command->add_flag("--admit-degenerate", options.degenerate,
                    "Also tasks that a constant or a copy passes");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_machine(*command, options.machine, true);
  return command;
}

CLI::App* add_verify(CLI::App& app, VerifyCommandOptions& options) {
  CLI::App* command = app.add_subcommand(
      "verify",
      "Compile, check and time one kernel.\n\nExample:\n"
      "  kvgen verify --task data/tasks/softmax.py --candidate softmax.md\n\n"
      "The candidate file is a reply: a ```hip block and a ```json block with the plan.\n"
      "Exit code 0: verified, 10: rejected, 4: could not be judged here.");
  command->add_option("--task", options.task, "A module file or a bundle")->required();
  command->add_option("--candidate", options.candidate, "The reply file")->required();
  command->add_option("--seed", options.seed,
                      "Fixes the seeds of the inputs (default: drawn at random)");
  command->add_flag("!--no-profile", options.profile, "Do not time it");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_machine(*command, options.machine, true);
  return command;
}

CLI::App* add_doctor(CLI::App& app, DoctorOptions& options) {
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Say what this machine has, what it lacks, and how to get it.\n\nExample:\n"
      "  kvgen doctor");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_machine(*command, options.machine, false);
  return command;
}

}  // namespace

int run_cli(int argc, char** argv, const World& world) {
  CLI::App app(kAbout, "kvgen");
  app.require_subcommand(1);
  app.set_version_flag("--version", "kvgen " KVGEN_VERSION);
  Commands options;
  const CLI::App* ingest = add_ingest(app, options.ingest);
  const CLI::App* run = add_run(app, options.run);
  const CLI::App* verify = add_verify(app, options.verify);
  const CLI::App* doctor = add_doctor(app, options.doctor);
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
  if (ingest->parsed()) return ingest_command(options.ingest, world);
  if (run->parsed()) return run_command(options.run, world);
  if (verify->parsed()) return verify_command(options.verify, world);
  if (doctor->parsed()) return doctor_command(options.doctor, world);
  return kUsageError;
}

}  // namespace kvgen::tools
