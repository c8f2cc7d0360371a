#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kvgen/base/result.h"
#include "tools/benchmarks/hostile_texts.h"

namespace kvgen::bench {

struct HostileOptions {
  std::string compiler = "clang";  // or "hiprtc"
  std::string target = "gfx90a";
  int compiles = 200;
  int cpu_seconds = 3;  // of one compile, so that 200 end soon; 20 in production
  std::filesystem::path programs;
  std::filesystem::path texts = KVGEN_SOURCE_DIR "/tests/compile/hostile";
  std::filesystem::path scratch;
};

// What a worker holds between two compiles.
struct Holdings {
  std::int64_t rss_kb = 0;
  int descriptors = 0;
  int files = 0;  // below the workers' folder
  int children = 0;
};

struct HostileRow {
  std::string text;
  std::string kind;    // "usable" or the outcome's name
  std::string reason;  // or the Error's message
  double seconds = 0;
  std::string wrong;  // what was not as it must be; empty: all was
};

struct HostileSoak {
  std::string compiler;
  std::string version;
  bool there = true;  // false: this machine has no such compiler
  std::vector<HostileRow> rows;
  Holdings before;  // after the first pass over the texts, or the first good compile
  Holdings after;
  int workers_lost = 0;
};

// Hostile texts one after another through a real worker, each followed by a good one, which must
// compile. A row is wrong when the outcome is not the one its file tells, when a path of this
// machine or a line of its files is in the answer, or when the good one fails.
Result<HostileSoak> soak_hostile(const HostileOptions& options);
std::string render(const HostileSoak& soak);

// Nothing wrong, no worker lost, nothing left behind.
bool is_clean(const HostileSoak& soak);

}  // namespace kvgen::bench
