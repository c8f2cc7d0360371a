#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "kvgen/base/result.h"
#include "world.h"

namespace kvgen::tools {

// Completes a command line from the environment and a file: an option that is not on it
// is taken from KVGEN_ITS_NAME, else from the file of --config (or KVGEN_CONFIG), else it
// keeps its default.
//
// The file is TOML. A key at its top is an option of any command ("jobs", "torch-python"),
// one in a table is an option of that command only ("[run] attempts = 4"); lists give
// options that take several values, true gives a flag. A key that no option has is an
// Error that names the nearest one.
Result<std::vector<std::string>> with_settings(const CLI::App& app,
                                               std::vector<std::string> arguments,
                                               const World& world);

// A warning for each variable KVGEN_... that no option of any command has, with the nearest that
// there is. No Error: others name variables too (Kubernetes does, after its services).
std::vector<std::string> unknown_variables(const CLI::App& app, const World& world);

}  // namespace kvgen::tools
