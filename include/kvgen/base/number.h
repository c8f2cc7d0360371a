#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kvgen {

// The integer that a text begins with after its blanks; what follows it is not looked at. None
// where there is no digit or the number does not fit. An optional minus sign, no plus sign; base
// 16 takes no prefix.
inline std::optional<std::int64_t> leading_integer(std::string_view text, int base = 10) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (read.ec != std::errc()) return std::nullopt;
  return value;
}

}  // namespace kvgen
