#include "compile/compiler_log.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kvgen {
namespace {

constexpr std::size_t kKept = 16U << 10;
constexpr std::size_t kHead = 12U << 10;
constexpr std::size_t kCollected = 1U << 20;
constexpr std::size_t kLineShown = 160;
constexpr std::size_t kLineRead = 4096;

struct Place {
  std::string_view file;  // base name
  int line = 0;
  int column = 0;
};

struct Said {
  std::optional<Place> place;
  std::string_view severity;
  std::string_view message;
};

std::string_view base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Takes ":123" off the end.
bool take_number(std::string_view& text, int& number) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return false;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + colon + 1, end, number);
  if (read.ec != std::errc() || read.ptr != end) return false;
  text = text.substr(0, colon);
  return true;
}

// "PATH:3:5: error: MESSAGE", "lld: error: MESSAGE", "error: MESSAGE"
std::optional<Said> parse(std::string_view line) {
  constexpr std::string_view kSeverities[] = {"fatal error: ", "error: ", "note: "};
  for (const std::string_view severity : kSeverities) {
    const auto at = line.find(severity);
    if (at == std::string_view::npos) continue;
    Said said;
    said.severity = severity == "note: " ? "note" : "error";
    said.message = line.substr(at + severity.size());
    std::string_view before = line.substr(0, at);
    if (before.empty()) return said;
    if (!before.ends_with(": ")) continue;
    before.remove_suffix(2);
    Place place;
    if (take_number(before, place.column) && take_number(before, place.line)) {
      place.file = base_name(before);
      said.place = place;
    }
    return said;
  }
  return std::nullopt;
}

bool in_path(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-' || c == '+' || c == '/' || c == '~';
}

// "/usr/lib/x/y.h" becomes "y.h"; a division or a comment stays.
std::string without_paths(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool starts = text[i] == '/' && (i == 0 || !in_path(text[i - 1])) &&
                        i + 1 < text.size() && text[i + 1] != '/' && in_path(text[i + 1]);
    if (!starts) {
      out += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && in_path(text[end])) ++end;
    out += base_name(text.substr(i, end - i));
    i = end;
  }
  return out;
}

std::string line_of(std::string_view source, int number) {
  for (int at = 1; !source.empty(); ++at) {
    const auto end = source.find('\n');
    if (at == number) {
      std::string_view line = source.substr(0, end);
      while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
      while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
      return std::string(line.substr(0, kLineShown)) + (line.size() > kLineShown ? "..." : "");
    }
    if (end == std::string_view::npos) break;
    source.remove_prefix(end + 1);
  }
  return "";
}

}  // namespace

std::string head_and_tail(const std::string& text) {
  if (text.size() <= kKept) return text;
  const std::size_t tail = kKept - kHead;
  return text.substr(0, kHead) + "\n... " + std::to_string(text.size() - kKept) +
         " bytes left out ...\n" + text.substr(text.size() - tail);
}

ReadLog read_compiler_log(std::string_view log, std::string_view file, std::string_view source) {
  ReadLog read;
  bool showing = false;  // notes follow what they belong to
  while (!log.empty() && read.text.size() < kCollected) {
    const auto end = log.find('\n');
    const auto said = parse(log.substr(0, std::min(end, kLineRead)));
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
    if (!said) continue;
    const bool ours = said->place && said->place->file == file;
    if (said->severity == "note" && !(showing && ours)) continue;
    showing = true;
    std::string line;
    if (ours) {
      line = "kernel.hip:" + std::to_string(said->place->line) + ":" +
             std::to_string(said->place->column) + ": ";
    } else {
      line = said->place ? "in a header of kvgen: " : "kernel.hip: ";
    }
    line += std::string(said->severity) + ": " + without_paths(said->message);
    if (said->severity == "error" && read.first_error.empty()) read.first_error = line;
    read.text += line + "\n";
    if (ours) {
      read.text += "    " + line_of(source, said->place->line) + "\n";
    }
  }
  read.text = head_and_tail(read.text);
  return read;
}

}  // namespace kvgen
