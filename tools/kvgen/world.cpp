#include "world.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
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
  world.programs = self.parent_path();
  world.share = self.parent_path().parent_path() / "share" / "kvgen";
  world.scratch = fs::temp_directory_path(ignored);
  return world;
}

}  // namespace kvgen::tools
