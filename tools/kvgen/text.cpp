#include "text.h"

#include <algorithm>

namespace kvgen::tools {

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::size_t length = end - at;
    if (column > indent && column + 1 + length > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(at, length);
    column += length;
    at = end + 1;
  }
  return out;
}

void add_line(std::string& out, std::string_view label, const std::string& text) {
  out += format("  %-10s ", std::string(label).c_str()) + wrapped(text, 13, kWidth) + "\n";
}

std::string time_text(double ns) {
  constexpr std::array<const char*, 4> kUnits = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  while (ns >= 999.5 && unit + 1 < kUnits.size()) {
    ns /= 1000;
    ++unit;
  }
  const int decimals = ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0;
  return format("%.*f %s", decimals, ns, kUnits[unit]);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(seconds);
  if (whole >= 3600) return format("%ld h %ld min", whole / 3600, whole % 3600 / 60);
  if (whole >= 60) return format("%ld min %ld s", whole / 60, whole % 60);
  return format("%ld s", whole);
}

std::string amount_text(double amount, const char* unit) {
  constexpr std::array<const char*, 5> kPrefixes = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (amount >= 999.5 && prefix + 1 < kPrefixes.size()) {
    amount /= 1000;
    ++prefix;
  }
  const int decimals = prefix == 0 || amount >= 99.95 ? 0 : amount < 9.995 ? 2 : 1;
  return format("%.*f %s%s", decimals, amount, kPrefixes[prefix], unit);
}

}  // namespace kvgen::tools
