#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kvgen/base/result.h"

namespace kvgen {

// Names that a shared object leaves for its loader to find.
Result<std::vector<std::string>> unresolved_in(std::string_view object);

}  // namespace kvgen
