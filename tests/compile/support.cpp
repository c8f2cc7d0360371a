#include "tests/compile/support.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "kvgen/compile/amd_target.h"
#include "kvgen/cpu/toolchain/cpu_target.h"
#include "kvgen/worker/arena.h"

namespace kvgen::test {

ClangEngine& engine() {
  static ClangEngine& shared = *[] {
    std::vector<std::unique_ptr<CompileTarget>> targets;
    targets.push_back(cpu_target());
    for (const std::string& arch : amd_architectures()) {
      auto target = amd_target(arch, real_files(), device_library_folders());
      if (target.ok()) targets.push_back(std::move(*target));
    }
    auto* made = new ClangEngine(std::move(targets));
    const auto ready = made->prepare(real_files(), KVGEN_BINARY_DIR "/share/kvgen/pch");
    EXPECT_TRUE(ready.ok()) << ready.error().message();
    return made;
  }();
  return shared;
}

Answer compile(const std::string& source, const std::string& target,
               const std::vector<std::string>& kernels, const CompileLimits& limits) {
  CompileService service(engine(), limits);
  auto message = service.compile({source, target, kernels});
  EXPECT_TRUE(message.ok()) << message.error().message();
  if (!message.ok()) return {};
  auto answer = compile_answer_from(message->json);
  EXPECT_TRUE(answer.ok()) << answer.error().message();
  if (!answer.ok()) return {};
  Answer result{std::move(answer->build), {}};
  EXPECT_EQ(message->fds.size(), result.build.usable() ? 1U : 0U);
  if (!message->fds.empty()) {
    auto object = read_blob(*message->fds.front(), 64L << 20);
    EXPECT_TRUE(object.ok()) << object.error().message();
    if (object.ok()) result.object = std::move(*object);
  }
  return result;
}

std::string kind_of(const Build& build) {
  return build.failure ? std::string(to_string(build.failure->kind)) : "usable";
}

std::vector<std::string> CaseFile::all(const std::string& key) const {
  std::vector<std::string> values;
  for (auto [it, end] = says.equal_range(key); it != end; ++it) values.push_back(it->second);
  return values;
}

namespace {

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ';');) {
    if (!trimmed(part).empty()) parts.push_back(trimmed(part));
  }
  return parts;
}

}  // namespace

std::vector<CaseFile> case_files(const std::string& folder) {
  static const std::regex kSays("// ([a-z]+(?: [A-Za-z0-9_<>]+)?): ?(.*)");
  std::vector<CaseFile> cases;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(KVGEN_SOURCE_DIR "/tests/") + folder)) {
    if (entry.path().extension() != ".hip") continue;
    CaseFile file;
    file.name = entry.path().stem().string();
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      std::smatch match;
      if (std::regex_match(line, match, kSays)) file.says.emplace(match[1], match[2]);
      file.source += line + "\n";
    }
    for (const std::string& list : file.all("kernels")) file.kernels = split(list);
    for (const std::string& one : file.all("kernel")) file.kernels.push_back(one);
    cases.push_back(std::move(file));
  }
  std::sort(cases.begin(), cases.end(),
            [](const CaseFile& a, const CaseFile& b) { return a.name < b.name; });
  return cases;
}

}  // namespace kvgen::test
