#include "scratch.h"

#include <stdlib.h>

#include <cerrno>
#include <system_error>

namespace kvgen::tools {

Result<Scratch> Scratch::create(const fs::path& parent) {
  std::string path = (parent / "kvgen-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) {
    return io_error("cannot create a temporary folder in", parent, errno);
  }
  std::error_code ignored;
  fs::create_directories(fs::path(path) / "log", ignored);
  return Scratch(fs::path(path));
}

Scratch::~Scratch() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace kvgen::tools
