#include <gmock/gmock.h>

#include "tests/device/candidates.h"
#include "tests/device/worker_client.h"

namespace kvgen::test {
namespace {

Json candidate_of(const char* list, const std::string& name) {
  Json json = load_cases().at(list).at(name);
  json["object"] = list;
  return json;
}

TEST(RunnerWorker, RunsCandidatesBehindItsSandbox) {
  const WorkerClient worker(KVGEN_RUNNER);
  const auto ping = worker.ask("ping", {Json::object(), {}});
  ASSERT_TRUE(ping.ok()) << ping.error().message();
  EXPECT_EQ(ping->json["hello"]["device"], "cpu");

  const Candidate good(candidate_of("good", "block_sum"));
  EXPECT_EQ(run(worker.handler(), good).status, RunReport::Status::kFinished);
  EXPECT_FLOAT_EQ(good.output<float>("out")[0], good.output<float>("out")[0]);

  for (const char* name : {"null dereference", "infinite loop", "write to an input"}) {
    const Candidate bad(candidate_of("bad", name));
    const RunReport report = run(worker.handler(), bad);
    EXPECT_EQ(to_string(report.status),
              load_cases()["bad"][name]["expect"]["status"].get<std::string>())
        << report.reason;
  }
  // Nothing that a candidate did stays.
  EXPECT_EQ(run(worker.handler(), good).status, RunReport::Status::kFinished);
}

TEST(RunnerWorker, TimesACandidate) {
  const WorkerClient worker(KVGEN_RUNNER);
  const Candidate good(candidate_of("good", "vector_add"));
  ASSERT_EQ(run(worker.handler(), good, "time_open").status, RunReport::Status::kFinished);
  EXPECT_GT(sample(worker.handler(), 5, true).wall_ns, 0);
  EXPECT_TRUE(worker.ask("time_close", {Json::object(), {}}).ok());
}

}  // namespace
}  // namespace kvgen::test
