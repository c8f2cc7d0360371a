#pragma once

#include <string>

#include "kvgen/model/outcome.h"

namespace kvgen::generate {

// What usually helps after such an outcome; "" where nothing general can be said.
std::string hint_for(const Outcome& outcome);

}  // namespace kvgen::generate
