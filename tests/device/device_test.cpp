#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <functional>

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

// name => value that element i of `out` must have.
using Expected = std::function<double(const Candidate&, std::size_t)>;

double row_sum(const Candidate& c, std::size_t row, std::size_t cols) {
  double sum = 0;
  for (std::size_t i = 0; i < cols; ++i) sum += c.input<float>("x")[row * cols + i];
  return sum;
}

const std::map<std::string, Expected>& expected_values() {
  static const std::map<std::string, Expected> all = {
      {"vector_add",
       [](const Candidate& c, std::size_t i) {
         return c.input<float>("a")[i] + c.input<float>("b")[i];
       }},
      {"block_sum",
       [](const Candidate& c, std::size_t i) { return row_sum(c, i, 1000); }},
      {"softmax",
       [](const Candidate& c, std::size_t i) {
         double sum = 0;
         for (std::size_t k = i / 777 * 777; k < i / 777 * 777 + 777; ++k) {
           sum += std::exp(static_cast<double>(c.input<float>("x")[k]));
         }
         return std::exp(static_cast<double>(c.input<float>("x")[i])) / sum;
       }},
      {"matmul",
       [](const Candidate& c, std::size_t i) {
         double sum = 0;
         for (std::size_t k = 0; k < 64; ++k) {
           sum += static_cast<double>(c.input<float>("a")[i / 64 * 64 + k]) *
                  c.input<float>("b")[k * 64 + i % 64];
         }
         return sum;
       }},
      {"scan",
       [](const Candidate& c, std::size_t i) {
         double sum = 0;
         for (std::size_t k = 0; k <= i; ++k) sum += c.input<float>("x")[k];
         return sum;
       }},
      {"hello", [](const Candidate&, std::size_t) { return 1; }}};
  return all;
}

const std::map<std::string, Expected>& expected_integers() {
  static const std::map<std::string, Expected> all = {
      {"count_signs",
       [](const Candidate& c, std::size_t i) {
         int count = 0;
         for (const float x : c.input<float>("x")) count += (x < 0) == (i == 1) ? 1 : 0;
         return count;
       }},
      // Of the lanes 0..63: 22, 21, 21 by remainder; of 0..35: 12 each.
      {"ballots",
       [](const Candidate&, std::size_t i) {
         const bool thirds = i % 64 % 3 == 0;
         return i < 64 ? (thirds ? 22 : 21) : 12;
       }},
      {"inactive_source", [](const Candidate&, std::size_t i) { return i < 32 ? 0 : -1; }},
      {"votes", [](const Candidate&, std::size_t) { return 5001; }},
      {"wave_execute",
       [](const Candidate&, std::size_t i) { return i < 64 ? 63 * 64 / 2 : 35 * 36 / 2; }}};
  return all;
}

class GoodCandidate
    : public testing::TestWithParam<std::tuple<std::string, std::string, int>> {};

TEST_P(GoodCandidate, GivesTheRightValues) {
  const auto& [name, schedule, cores] = GetParam();
  Json json = good(name);
  json["schedule"] = schedule;
  json["cores"] = cores;
  const Candidate candidate(json);
  const RunReport report = run(runner(), candidate);
  ASSERT_EQ(report.status, RunReport::Status::kFinished) << report.reason;
  if (name == "twice_half") {
    const auto out = candidate.output<_Float16>("out");
    const auto x = candidate.input<_Float16>("x");
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(float(out[i]), 2 * float(x[i])) << i;
  } else if (expected_integers().contains(name)) {
    const auto out = candidate.output<int>("out");
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(out[i], expected_integers().at(name)(candidate, i)) << i;
    }
  } else {
    const auto out = candidate.output<float>("out");
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double wanted = expected_values().at(name)(candidate, i);
      ASSERT_NEAR(out[i], wanted, 1e-5 + 1e-5 * std::fabs(wanted)) << i;
    }
  }
  if (name == "hello") {
    EXPECT_THAT(report.printed, HasSubstr("thread 1 of block 1\n"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, GoodCandidate,
    testing::Combine(testing::ValuesIn(names("good")),
                     testing::Values("forward", "reverse", "random"), testing::Values(1, 2)),
    [](const auto& info) {
      return identifier(std::get<0>(info.param)) + "_" + std::get<1>(info.param) + "_" +
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
  const Json json = {{"object", "bad"},
                     {"inputs", {{"x", {256}}}},
                     {"outputs", {{"out", {256}}}},
                     {"run",
                      {{{"kernel", "missing_barrier"},
                        {"grid", {1}},
                        {"block", {256}},
                        {"args", {"x", "out"}}}}}};
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
  const Json json = {{"object", "bad"},
                     {"outputs", {{"out", {256}}}},
                     {"run",
                      {{{"kernel", "uninitialised_lds"},
                        {"grid", {1}},
                        {"block", {256}},
                        {"args", {"out"}}}}}};
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
