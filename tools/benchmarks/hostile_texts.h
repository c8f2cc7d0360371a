#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kvgen/base/result.h"

namespace kvgen::bench {

// A device source that attacks the compiler, from tests/compile/hostile.
struct HostileText {
  std::string name;
  std::string source;
  // By compiler: "usable", "compile_error" or another outcome, then optionally a part of the
  // reason; alternatives are separated by " or ". From the file's "// clang: ..." lines.
  std::map<std::string, std::string> expected;
};

// Every .hip file of a folder, by name, its generators written out:
//   @repeat(N){TEXT}   TEXT N times, @i its number from 0 and @j from 1
//   @line @close @nul  a line break, a closing brace, a NUL byte
Result<std::vector<HostileText>> hostile_texts(const std::filesystem::path& folder);

std::string written_out(const std::string& text);

// Whether what a compiler made of a text is one of the alternatives.
bool is_expected(const std::string& expected, const std::string& kind, const std::string& reason);

}  // namespace kvgen::bench
