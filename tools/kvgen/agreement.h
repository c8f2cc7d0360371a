#pragma once

#include <string>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/store/corpus.h"

namespace kvgen::tools {

// One thing that a record says and that was seen again.
struct Agreement {
  enum class State { kSame, kDiffers, kSlower, kFaster, kNotCompared };
  std::string what;  // "outcome", "case tiny, normal", "gfx942 compiler", "time"
  State state = State::kSame;
  std::string detail;  // "verified then, wrong_output now: ..."
};

std::string_view to_string(Agreement::State state);

// Compares what was recorded with the same attempt made again. Times are slower or
// faster only when their quartile intervals are apart and on the same machine.
std::vector<Agreement> compare(const StoredAttempt& then, const Attempt& now);

// Whether nothing differs; times do not count.
bool agrees(const std::vector<Agreement>& list);

}  // namespace kvgen::tools
