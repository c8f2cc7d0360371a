#pragma once

#include "world.h"

namespace kvgen::tools {

// Parses the arguments, runs the command, returns the process's exit code.
int run_cli(int argc, char** argv, const World& world);

}  // namespace kvgen::tools
