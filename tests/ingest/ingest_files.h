#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "kvgen/base/files.h"
#include "tests/support/temp_folder.h"

namespace kvgen {

using kvgen::testing::TempFolder;

// Writes a file and the folders it needs.
inline fs::path put(const TempFolder& folder, const fs::path& name, const std::string& text) {
  const fs::path path = folder.path() / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  return path;
}

inline std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline const fs::path kReplies = KVGEN_SOURCE_DIR "/tests/ingest/replies";

}  // namespace kvgen
