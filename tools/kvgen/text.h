#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

// Text for people, in 80 columns.

namespace kvgen::tools {

inline constexpr std::size_t kWidth = 80;

// printf into a string of at most 255 characters.
template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

// Words broken over lines; the first line begins at column `indent` already.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

// "  label      text": the text wrapped beside its label.
void add_line(std::string& out, std::string_view label, const std::string& text);

// "812 ns", "3.42 us", "17.0 ms", "2.31 s"
std::string time_text(double ns);
// "12 s", "4 min 12 s", "3 h 20 min"
std::string duration_text(double seconds);
// "3.1 GFLOP"; unit: "FLOP" or "B"
std::string amount_text(double amount, const char* unit);

}  // namespace kvgen::tools
