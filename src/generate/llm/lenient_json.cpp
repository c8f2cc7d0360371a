#include "generate/llm/lenient_json.h"

#include <cctype>
#include <cstdlib>
#include <string>

namespace kvgen::generate {
namespace {

constexpr JsonLimits kLimits{.bytes = 64UL << 20, .depth = 64};
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Bytes of the UTF-8 character at `at`; 0 when it is none.
std::size_t character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned lead = byte(0);
  const std::size_t size = lead < 0x80                   ? 1
                           : lead >= 0xc2 && lead < 0xe0 ? 2
                           : lead >= 0xe0 && lead < 0xf0 ? 3
                           : lead >= 0xf0 && lead < 0xf5 ? 4
                                                         : 0;
  if (size == 0 || at + size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    const unsigned low = i > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned high = i > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (byte(i) < low || byte(i) > high) return 0;
  }
  return size;
}

// The code unit of a \uXXXX at `at`; -1 when there is none.
long escape_at(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return -1;
  for (std::size_t i = 2; i < 6; ++i) {
    if (std::isxdigit(static_cast<unsigned char>(text[at + i])) == 0) return -1;
  }
  return std::strtol(std::string(text.substr(at + 2, 4)).c_str(), nullptr, 16);
}

bool is_high(long unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(long unit) { return unit >= 0xdc00 && unit < 0xe000; }

std::string mended(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\\') {
      const long unit = escape_at(text, at);
      if (unit < 0) {  // another escape: both of its characters
        out += text.substr(at, 2);
        at += 2;
      } else if (is_high(unit) && is_low(escape_at(text, at + 6))) {
        out += text.substr(at, 12);
        at += 12;
      } else {
        out += is_high(unit) || is_low(unit) ? "\\ufffd" : std::string(text.substr(at, 6));
        at += 6;
      }
      continue;
    }
    const std::size_t size = character_at(text, at);
    out += size == 0 ? kReplacement : text.substr(at, size);
    at += size == 0 ? 1 : size;
  }
  return out;
}

}  // namespace

Result<Json> parse_leniently(std::string_view text) {
  auto strictly = parse_json(text, kLimits);
  if (strictly.ok() || text.size() > kLimits.bytes) return strictly;
  return parse_json(mended(text), kLimits);
}

}  // namespace kvgen::generate
