#include "options.h"

namespace kvgen::tools {

void add_workers(CLI::App& command, MachineOptions& machine) {
  command.add_option("--jobs", machine.jobs, "Tasks at once (default: the cores, at most 4)")
      ->check(CLI::Range(1, 256));
  command
      .add_option("--torch-python", machine.torch_python,
                  "A Python that has torch, for capturing modules")
      ->check(CLI::ExistingFile);
}

void add_machine(CLI::App& command, MachineOptions& machine) {
  add_workers(command, machine);
  command.add_option("--device", machine.device, "Where candidates run")
      ->check(CLI::IsMember({"cpu"}))
      ->capture_default_str();
  command.add_option("--arch", machine.archs, "Architectures that must compile it")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--cores", machine.cores, "Cores of the cpu device (default: all)")
      ->check(CLI::Range(1, 1024));
}

void add_sources(CLI::App& command, SourceOptions& sources) {
  command
      .add_option("--column", sources.column,
                  "Of a JSONL file's rows: what holds the module's text")
      ->capture_default_str();
  command.add_option("--name-column", sources.name_column,
                     "Of a JSONL file's rows: what holds the task's name (default: FILE_LINE)");
  command.add_option("--licence,--license", sources.license,
                     "SPDX name, for sources that name none themselves");
  command.add_option("--origin", sources.origin, "Where sources come from that do not say so");
  command.add_option("--entry", sources.capture.entry,
                     "Class or function to capture, or FILE.py:NAME for the files so called "
                     "(default: Model, or module_fn)");
  command
      .add_option("--mode", sources.capture.mode,
                  "Turn modules into this mode first (default: as they were made)")
      ->check(CLI::IsMember({"eval", "train"}));
  command
      .add_option("--dtype", sources.capture.dtype,
                  "Convert floating weights and inputs first (default: as they were made)")
      ->check(CLI::IsMember({"bfloat16", "float16"}));
}

}  // namespace kvgen::tools
