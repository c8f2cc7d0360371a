#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kvgen {

// The candidate nearest to what was written by edit distance (a swap of
// neighbours counts once), or "" when none is near.
std::string nearest(std::string_view written, const std::vector<std::string>& candidates);

}  // namespace kvgen
