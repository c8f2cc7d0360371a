#include "world.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <system_error>

namespace kvgen::tools {

World real_world() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  World world;
  world.files = &real_files();
  world.clock = &real_clock();
  world.out = &std::cout;
  world.err = &std::cerr;
  world.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  world.environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry = *at;
    world.variables.emplace_back(entry.substr(0, entry.find('=')));
  }
  world.programs = self.parent_path();
  world.share = self.parent_path().parent_path() / "share" / "kvgen";
  world.scratch = fs::temp_directory_path(ignored);
  return world;
}

}  // namespace kvgen::tools
