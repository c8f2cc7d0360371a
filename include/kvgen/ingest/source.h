#pragma once

#include <string>
#include <vector>

#include "kvgen/base/files.h"
#include "kvgen/base/result.h"

namespace kvgen {

// Something that becomes a task: a module to capture, or a bundle to read.
struct Source {
  enum class Kind { kModule, kBundle };
  Kind kind = Kind::kModule;
  fs::path path;     // of the .py file, or of the bundle's folder
  std::string name;  // of the task: a valid folder name, unique among the sources found
};

// What the paths hold, in the order given, each folder's entries sorted.
//
// A path is a .py file, a task.json, a bundle's folder, or a folder of these;
// folders are entered one level deep. Files whose names begin with '.' or "__"
// are passed over, and what is named twice is taken once. A path that does not
// exist is kNotFound, one that holds nothing kInvalid.
Result<std::vector<Source>> find_sources(Files& files, const std::vector<fs::path>& paths);

// The text of a module: valid UTF-8, at most 1 MB.
Result<std::string> read_module(Files& files, const Source& source);

// Letters, digits, '_', '-' and '.'; begins with a letter or digit; at most 100 characters.
std::string sanitised_name(const std::string& name);

}  // namespace kvgen
