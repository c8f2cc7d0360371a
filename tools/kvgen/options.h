#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "kvgen/ingest/source.h"

// Options that several commands have.

namespace kvgen::tools {

struct MachineOptions {
  std::string device = "cpu";
  std::vector<std::string> archs = {"gfx942", "gfx90a"};
  int jobs = 0;              // 0: as many as cores, at most 4
  int cores = 0;             // 0: all
  std::string torch_python;  // "": the one kvgen was built with
};

// --jobs and --torch-python.
void add_workers(CLI::App& command, MachineOptions& machine);
// Those, and --device, --arch and --cores.
void add_machine(CLI::App& command, MachineOptions& machine);
// --column, --name-column, --licence, --origin, --entry, --mode and --dtype.
void add_sources(CLI::App& command, SourceOptions& sources);

}  // namespace kvgen::tools
