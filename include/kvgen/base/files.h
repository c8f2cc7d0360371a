#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kvgen/base/result.h"

namespace kvgen {

namespace fs = std::filesystem;

// The door to the file system, so that tests can fill a disk or tear a file.
// Every Error names the path and what to do; kFull when there is no space.
class Files {
 public:
  virtual ~Files() = default;

  // Refuses more than `limit` bytes, folders, and anything but a regular file.
  virtual Result<std::string> read(const fs::path& path, std::uint64_t limit) = 0;

  // Written aside, synced, renamed over the target, folder synced: readers see
  // the old file or the new one, also after a crash.
  virtual Result<void> write_atomically(const fs::path& path, std::string_view bytes) = 0;

  virtual Result<void> make_folder(const fs::path& path) = 0;
  virtual Result<void> remove(const fs::path& path) = 0;  // a missing one is fine
  virtual bool exists(const fs::path& path) = 0;

  // Names of a folder's entries, sorted; folders end with '/'.
  virtual Result<std::vector<std::string>> list(const fs::path& folder) = 0;
};

Files& real_files();

// "No space left on device" and its kind as an Error with the right code.
Error io_error(std::string_view doing, const fs::path& path, int error_number);

}  // namespace kvgen
