#pragma once

#include <string>
#include <string_view>

namespace kvgen {

inline std::string quote(std::string_view text) { return "\"" + std::string(text) + "\""; }

// The place of a list's element: "run[2].grid", 1 -> "run[2].grid[1]".
inline std::string at_index(const std::string& place, std::size_t index) {
  return place + "[" + std::to_string(index) + "]";
}

}  // namespace kvgen
