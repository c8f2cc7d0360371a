#pragma once

#include <string>
#include <vector>

#include "kvgen/base/json.h"

namespace kvgen {

// One line per setting that differs, by its dotted name:
// `attempts: 3 then, 5 now`, `generator.seed: not set then, 7 now`.
std::vector<std::string> settings_that_differ(const Json& then, const Json& now);

}  // namespace kvgen
