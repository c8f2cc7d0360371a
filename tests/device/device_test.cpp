#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "tests/device/candidates.h"

namespace kvgen::test {
namespace {

using testing::HasSubstr;

Handler runner() { return runner_handler(make_cpu_engine()); }

Json good(const std::string& name) {
  static const Json cases = load_cases();
  Json json = cases.at("good").at(name);
  json["object"] = "good";
  return json;
}

Json bad(const std::string& name) {
  static const Json cases = load_cases();
  Json json = cases.at("bad").at(name);
  json["object"] = "bad";
  return json;
}

std::vector<std::string> names(const char* list) {
  std::vector<std::string> all;
  const Json cases = load_cases();
  for (const auto& entry : cases.at(list).items()) all.push_back(entry.key());
  return all;
}

std::string identifier(const std::string& name) {
  std::string text = name;
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return text;
}

class GoodCandidate : public testing::TestWithParam<std::tuple<std::string, std::string, int>> {};

TEST_P(GoodCandidate, GivesTheRightValues) {
  const auto& [name, schedule, cores] = GetParam();
  Json json = good(name);
  json["schedule"] = schedule;
  json["cores"] = cores;
  const Candidate candidate(json);
  const RunReport report = run(runner(), candidate);
  ASSERT_EQ(report.status, RunReport::Status::kFinished) << report.reason;
  EXPECT_EQ(difference(name, candidate), "");
  if (name == "hello") {
    EXPECT_THAT(report.printed, HasSubstr("thread 1 of block 1\n"));
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, GoodCandidate,
                         testing::Combine(testing::ValuesIn(names("good")),
                                          testing::Values("forward", "reverse", "random"),
                                          testing::Values(1, 2)),
                         [](const auto& info) {
                           return identifier(std::get<0>(info.param)) + "_" +
                                  std::get<1>(info.param) + "_" +
                                  std::to_string(std::get<2>(info.param));
                         });

class BadCandidate : public testing::TestWithParam<std::string> {};

TEST_P(BadCandidate, IsToldApart) {
  const Json json = bad(GetParam());
  const Candidate candidate(json);
  const RunReport report = run(runner(), candidate);
  EXPECT_EQ(to_string(report.status), json["expect"]["status"].get<std::string>()) << report.reason;
  for (const Json& words : json["expect"]["says"]) {
    EXPECT_THAT(report.reason, HasSubstr(words.get<std::string>()));
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, BadCandidate, testing::ValuesIn(names("bad")),
                         [](const auto& info) { return identifier(info.param); });

TEST(Schedules, TellAMissingBarrier) {
  const Json json = {
      {"object", "bad"},
      {"inputs", {{"x", {256}}}},
      {"outputs", {{"out", {256}}}},
      {"run",
       {{{"kernel", "missing_barrier"}, {"grid", {1}}, {"block", {256}}, {"args", {"x", "out"}}}}}};
  std::vector<std::vector<float>> results;
  for (const char* schedule : {"forward", "reverse"}) {
    Json scheduled = json;
    scheduled["schedule"] = schedule;
    const Candidate candidate(scheduled);
    ASSERT_EQ(run(runner(), candidate).status, RunReport::Status::kFinished);
    const auto out = candidate.output<float>("out");
    results.emplace_back(out.begin(), out.end());
  }
  EXPECT_NE(std::memcmp(results[0].data(), results[1].data(), 1024), 0);
}

TEST(Lds, IsPoisonedForEachBlock) {
  const Json json = {
      {"object", "bad"},
      {"outputs", {{"out", {256}}}},
      {"run",
       {{{"kernel", "uninitialised_lds"}, {"grid", {1}}, {"block", {256}}, {"args", {"out"}}}}}};
  const Candidate candidate(json);
  ASSERT_EQ(run(runner(), candidate).status, RunReport::Status::kFinished);
  for (const float value : candidate.output<float>("out")) EXPECT_TRUE(std::isnan(value));
}

TEST(TimeSession, RunsTheSameCandidateAgain) {
  const Handler handler = runner();
  const Candidate candidate(good("vector_add"));
  const RunReport first = run(handler, candidate, "time_open");
  ASSERT_EQ(first.status, RunReport::Status::kFinished) << first.reason;
  candidate.poison_outputs(0);
  for (const bool cold : {false, true}) {
    const RunReport report = sample(handler, 3, cold);
    ASSERT_EQ(report.status, RunReport::Status::kFinished) << report.reason;
    EXPECT_GT(report.wall_ns, 0);
    EXPECT_EQ(candidate.output<float>("out")[100002],
              candidate.input<float>("a")[100002] + candidate.input<float>("b")[100002]);
  }
  EXPECT_TRUE(handler("time_close", {Json::object(), {}}).ok());
  EXPECT_FALSE(handler("time_sample", {to_json(TimeSampleCall{1, false}), {}}).ok());
}

TEST(TimeSession, OfABadCandidateKeepsSayingSo) {
  const Handler handler = runner();
  const Candidate candidate(bad("trap"));
  EXPECT_EQ(run(handler, candidate, "time_open").status, RunReport::Status::kCrash);
  EXPECT_EQ(sample(handler, 1, false).status, RunReport::Status::kCrash);
}

TEST(Requests, AreErrorsOfOursWhenTheyMakeNoSense) {
  const Handler handler = runner();
  Candidate candidate(good("vector_add"));
  EXPECT_FALSE(handler("run", {candidate.call().json, {}}).ok());
  EXPECT_FALSE(handler("dance", candidate.call()).ok());
  EXPECT_FALSE(handler("run", candidate.set("schedule", "sideways").call()).ok());
}

}  // namespace
}  // namespace kvgen::test
