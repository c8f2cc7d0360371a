#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/clock.h"
#include "kvgen/base/files.h"

namespace kvgen::tools {

// Everything the command line touches outside itself; tests give others.
struct World {
  Files* files = nullptr;
  const Clock* clock = nullptr;
  std::ostream* out = nullptr;  // results
  std::ostream* err = nullptr;  // what people read
  bool err_is_terminal = false;
  std::function<std::optional<std::string>(const std::string&)> environment;
  std::vector<std::string> variables;  // names of what the environment holds
  std::filesystem::path programs;      // where kvgen and its workers are
  std::filesystem::path share;         // capture package, configs
  std::filesystem::path scratch;       // for temporary folders
};

World real_world();

}  // namespace kvgen::tools
