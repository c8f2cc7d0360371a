#include <gmock/gmock.h>

#include <filesystem>

#include "tests/device/candidates.h"
#include "tests/device/worker_client.h"

// Sources in HIP, compiled by kvgen-clang and run by kvgen-runner. Each file of
// hip/ begins with a comment that holds its plan and what to expect.

namespace kvgen::test {
namespace {

using testing::HasSubstr;

const std::string kFolder = std::string(KVGEN_SOURCE_DIR) + "/tests/device/hip";

std::vector<std::string> sources() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class HipSource : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    compiler_ = new WorkerClient(KVGEN_CLANG);
    runner_ = new WorkerClient(KVGEN_RUNNER);
  }
  static void TearDownTestSuite() {
    delete compiler_;
    delete runner_;
  }

  static WorkerClient* compiler_;
  static WorkerClient* runner_;
};
WorkerClient* HipSource::compiler_ = nullptr;
WorkerClient* HipSource::runner_ = nullptr;

TEST_P(HipSource, RunsAsExpected) {
  const std::string text = read_file(kFolder + "/" + GetParam() + ".hip");
  const auto begin = text.find("/*") + 2;
  const Json json = Json::parse(text.substr(begin, text.find("*/") - begin));

  const CompileCall call{text, "cpu", json["kernels"]};
  auto reply = compiler_->ask("compile", {to_json(call), {}});
  ASSERT_TRUE(reply.ok()) << reply.error().message();
  const auto compiled = compile_answer_from(reply->json);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  ASSERT_FALSE(compiled->build.failure)
      << compiled->build.failure->reason << compiled->build.diagnostics;
  std::map<std::string, std::string> symbols;
  for (const KernelInfo& kernel : compiled->build.kernels) {
    symbols[kernel.expression] = kernel.symbol;
  }

  const Json& expect = json["expect"];
  std::vector<std::string> results;
  for (const char* schedule : {"forward", "reverse"}) {
    Candidate candidate(json, reply->fds.at(0), symbols);
    const RunReport report = run(runner_->handler(), candidate.set("schedule", schedule));
    ASSERT_EQ(to_string(report.status), expect["status"].get<std::string>()) << report.reason;
    if (expect.contains("values")) {
      EXPECT_EQ(difference(expect["values"], candidate), "");
    }
    if (schedule == std::string("forward")) {
      for (const Json& words : expect.value("says", Json::array())) {
        EXPECT_THAT(report.reason, HasSubstr(words.get<std::string>()));
      }
    }
    for (const Json& words : expect.value("printed", Json::array())) {
      EXPECT_THAT(report.printed, HasSubstr(words.get<std::string>()));
    }
    const auto bytes = candidate.output<char>("out");
    results.emplace_back(bytes.begin(), bytes.end());
  }
  if (expect.value("schedules_differ", false)) EXPECT_NE(results[0], results[1]);
}

INSTANTIATE_TEST_SUITE_P(Files, HipSource, testing::ValuesIn(sources()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace kvgen::test
