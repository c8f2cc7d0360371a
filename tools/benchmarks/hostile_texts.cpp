#include "tools/benchmarks/hostile_texts.h"

#include <algorithm>
#include <sstream>

#include "kvgen/base/files.h"

namespace kvgen::bench {
namespace {

constexpr std::uint64_t kFileLimit = 1 << 20;

// In one pass: texts are megabytes.
void replace_all(std::string& text, const std::string& from, const std::string& to) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = 0; (at = text.find(from, begin)) != std::string::npos;) {
    out.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  text = out.append(text, begin);
}

// The end of a generator's text: its closing brace, or the brace that is the text itself.
std::size_t end_of_body(const std::string& text, std::size_t begin) {
  if (text.compare(begin, 2, "{}") == 0) return begin + 1;
  int depth = 1;
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return at;
  }
  return text.size();
}

std::vector<std::string> alternatives(const std::string& expected) {
  std::vector<std::string> list;
  std::size_t begin = 0;
  for (std::size_t at = 0; (at = expected.find(" or ", begin)) != std::string::npos;) {
    list.push_back(expected.substr(begin, at - begin));
    begin = at + 4;
  }
  list.push_back(expected.substr(begin));
  return list;
}

}  // namespace

std::string written_out(const std::string& text) {
  static const std::string kRepeat = "@repeat(";
  std::string out;
  std::size_t at = 0;
  for (std::size_t next = 0; (next = text.find(kRepeat, at)) != std::string::npos;) {
    out += text.substr(at, next - at);
    const std::size_t open = text.find("){", next);
    const int times = std::stoi(text.substr(next + kRepeat.size()));
    const std::size_t end = end_of_body(text, open + 2);
    const std::string body = text.substr(open + 2, end - open - 2);
    for (int i = 0; i < times; ++i) {
      std::string one = body;
      replace_all(one, "@i", std::to_string(i));
      replace_all(one, "@j", std::to_string(i + 1));
      out += one;
    }
    at = end + 1;
  }
  out += text.substr(at);
  replace_all(out, "@line", "\n");
  replace_all(out, "@close", "}");
  replace_all(out, "@nul", std::string(1, '\0'));
  return out;
}

bool is_expected(const std::string& expected, const std::string& kind, const std::string& reason) {
  for (const std::string& one : alternatives(expected)) {
    const bool names_kind = one.starts_with("usable") || one.starts_with("compile_error") ||
                            one.starts_with("cheating");
    const std::string wanted = names_kind ? one.substr(0, one.find(' ')) : "compile_error";
    const auto space = one.find(' ');
    const std::string part = !names_kind                  ? one
                             : space == std::string::npos ? ""
                                                          : one.substr(space + 1);
    if (kind == wanted && reason.find(part) != std::string::npos) return true;
  }
  return false;
}

Result<std::vector<HostileText>> hostile_texts(const std::filesystem::path& folder) {
  TRY(std::vector<std::string> names, real_files().list(folder));
  std::sort(names.begin(), names.end());
  std::vector<HostileText> texts;
  for (const std::string& name : names) {
    if (!name.ends_with(".hip")) continue;
    TRY(const std::string text, real_files().read(folder / name, kFileLimit));
    HostileText hostile;
    hostile.name = name.substr(0, name.size() - 4);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      for (const std::string compiler : {"clang", "hiprtc"}) {
        const std::string prefix = "// " + compiler + ": ";
        if (line.starts_with(prefix)) hostile.expected[compiler] = line.substr(prefix.size());
      }
    }
    hostile.source = written_out(text);
    texts.push_back(std::move(hostile));
  }
  if (texts.empty()) {
    return Error(Code::kNotFound, "no hostile texts (.hip) in " + folder.string());
  }
  return texts;
}

}  // namespace kvgen::bench
