#pragma once

#include "kvgen/base/files.h"
#include "kvgen/base/result.h"
#include "kvgen/model/task.h"

namespace kvgen {

// A bundle is a folder NAME with task.json and, for people, the module as source.py.

// Writes DIR/NAME; task.json last, so that a bundle that has one is whole.
// Gives the folder. A bundle of the same hash is left as it is.
Result<fs::path> write_bundle(Files& files, const fs::path& dir, const Task& task);

// Reads a bundle's folder, or its task.json. kInvalid when it is torn, edited,
// of another schema, or makes no sense; the Error names the file.
Result<Task> read_bundle(Files& files, const fs::path& path);

}  // namespace kvgen
