#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kvgen/base/files.h"
#include "kvgen/base/result.h"

namespace kvgen {

// What is captured of a module, beside its text.
struct CaptureOptions {
  std::string entry;  // the class or function; "": Model, or module_fn
  std::string mode;   // "eval", "train"; "": as the module was made
  std::string dtype;  // "bfloat16", "float16": converted first; "": as written
};

// Something that becomes a task: a module to capture, or a bundle to read.
struct Source {
  enum class Kind { kModule, kRow, kBundle };
  Kind kind = Kind::kModule;
  fs::path path;     // of the .py file, of the JSONL file, or of the bundle's folder
  std::string name;  // of the task: a valid folder name, unique among the sources found

  // A row's own:
  std::int64_t row = 0;  // its line, from 1
  std::string text;      // the module
  std::string fault;     // what is wrong with the row, or ""

  // Where the module itself does not say, or "".
  std::string license;
  std::string origin;

  CaptureOptions capture;

  // For messages: "tasks/softmax.py", "rows.jsonl:17".
  [[nodiscard]] std::string where() const;
  // What the module's file is called in the task's entry and in tracebacks.
  [[nodiscard]] std::string file() const;
};

// How the rows of a JSONL file are read, and what is known of all the sources.
struct SourceOptions {
  std::string column = "code";  // holds the module's text
  std::string name_column;      // holds the task's name; "": FILE_LINE
  std::string license;          // where neither the module nor its row names one
  std::string origin;           // where the row names none
  CaptureOptions capture;       // its entry may be FILE.py:NAME, for the files so called
};

// What the paths hold, in the order given, each folder's entries sorted.
//
// A path is a .py file, a .jsonl file with a module a row, a task.json, a
// bundle's folder, or a folder of modules and bundles; folders are entered one
// level deep. Files whose names begin with '.' or "__" are passed over, and what
// is named twice is taken once. A path that does not exist is kNotFound, one that
// holds nothing kInvalid. A row that cannot be used is a source with a fault.
Result<std::vector<Source>> find_sources(Files& files, const std::vector<fs::path>& paths,
                                         const SourceOptions& options = {});

inline constexpr std::uint64_t kModuleBytesLimit = 1UL << 20U;

// The text of a module, also of a row's: valid UTF-8, at most kModuleBytesLimit.
Result<std::string> read_module(Files& files, const Source& source);

// Letters, digits, '_', '-' and '.'; begins with a letter or digit; at most 100 characters.
std::string sanitised_name(const std::string& name);

}  // namespace kvgen
