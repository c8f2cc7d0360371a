#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"

namespace kvgen {

// Times of one subject, in nanoseconds per run of the whole plan (or per eager call).
struct TimingSummary {
  double median = 0;
  double iqr = 0;
  double min = 0;
  std::vector<double> samples;  // raw, in the order taken
};

// A measurement of a verified candidate against a named baseline. Cold and hot
// are not mixed; `speedup` belongs to `variant` and is absent when the two
// intervals (quartiles) overlap too much to say, or when launch_bound.
struct Profile {
  std::string variant;
  std::string device;    // "cpu"
  std::string timed_on;  // the machine, in words
  std::string source;    // "wall": what read the time
  std::string cache;     // "hot" or "cold"
  int cores = 0;
  std::string baseline;  // "libtorch 2.13.0 eager, float32"
  TimingSummary candidate;
  TimingSummary reference;
  std::optional<double> speedup;  // reference median / candidate median
  bool separated = false;         // the intervals do not overlap
  bool converged = false;         // the stopping rule was met before the cap
  int runs_per_sample = 1;
  std::vector<std::string> flags;  // "floor_suspect", "outputs_changed"
};

Json to_json(const Profile& profile);
Result<Profile> profile_from(const Json& json, const std::string& where);

}  // namespace kvgen
