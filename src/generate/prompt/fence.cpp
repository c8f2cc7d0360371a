#include "generate/prompt/fence.h"

#include <algorithm>

namespace kvgen::generate {
namespace {

std::string harmless(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
      out += "?";
    } else {
      out += text[i];
      const bool mark = i + 1 < text.size() &&
                        ((c == '<' && text[i + 1] == '|') || (c == '|' && text[i + 1] == '>'));
      if (mark) out += ' ';
    }
  }
  return out;
}

std::size_t longest_run(std::string_view text, char mark) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == mark ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string fenced(std::string_view label, std::string_view text) {
  std::string body = harmless(text);
  if (!body.empty() && body.back() != '\n') body += '\n';
  const std::string fence(std::max<std::size_t>(3, longest_run(body, '`') + 1), '`');
  return fence + std::string(label) + "\n" + body + fence + "\n";
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string out = harmless(text);
  std::replace(out.begin(), out.end(), '\n', ' ');
  std::replace(out.begin(), out.end(), '`', '\'');
  if (out.size() <= most) return out;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0U) == 0x80) --end;
  return out.substr(0, end) + "...";
}

}  // namespace kvgen::generate
