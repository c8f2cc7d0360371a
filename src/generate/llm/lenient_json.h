#pragma once

#include <string_view>

#include "kvgen/base/json.h"

namespace kvgen::generate {

// Parses what a server sent. Tokens may end inside a character, so halves of surrogate
// pairs and broken UTF-8, which JSON forbids, are read as U+FFFD.
Result<Json> parse_leniently(std::string_view text);

}  // namespace kvgen::generate
