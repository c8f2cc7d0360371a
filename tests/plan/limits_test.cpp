#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kvgen/plan/plan.h"
#include "kvgen/plan/resolve.h"
#include "tests/plan/subject.h"

namespace kvgen::test {
namespace {

std::string list_of(int count, const std::string& item) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? "," : "") + item;
  return "[" + text + "]";
}

const std::string kFill = R"j({"fill": "out", "value": 0})j";

std::string reason_of(const std::string& text) {
  const auto plan = parse_plan(text);
  if (!plan.ok()) return plan.outcome().reason;
  const Subject with = subject();
  const auto resolved = resolve(*plan, with.variant, with.build, limits_of("gfx942"));
  return resolved.ok() ? "" : resolved.outcome().reason;
}

std::string with_lets(int count) {
  std::string lets;
  for (int i = 0; i < count; ++i) {
    lets += (i > 0 ? ", " : "") + ("\"n" + std::to_string(i)) + "\": " + std::to_string(i);
  }
  return R"j({"plan": 1, "let": {)j" + lets + R"j(}, "run": [)j" + kFill + "]}";
}

TEST(PlanLimits, StepsAsWritten) {
  EXPECT_EQ(reason_of(R"j({"plan": 1, "run": )j" + list_of(1024, kFill) + "}"), "");
  EXPECT_THAT(reason_of(R"j({"plan": 1, "run": )j" + list_of(1025, kFill) + "}"),
              testing::HasSubstr("more than 1024 steps"));
}

TEST(PlanLimits, LaunchesAfterExpansion) {
  const auto repeated = [](const std::string& count) {
    return R"j({"plan": 1, "run": [{"repeat": )j" + count + R"j(, "do": [)j" + kFill + "]}]}";
  };
  EXPECT_EQ(reason_of(repeated("65536")), "");
  EXPECT_THAT(reason_of(repeated("65537")), testing::HasSubstr("more than 65536 launches"));
}

TEST(PlanLimits, Names) {
  EXPECT_EQ(reason_of(with_lets(256)), "");
  EXPECT_THAT(reason_of(with_lets(257)), testing::HasSubstr("more than 256 names"));
}

TEST(PlanLimits, Text) {
  const std::string plan = R"j({"plan": 1, "run": [)j" + kFill + "]}";
  EXPECT_EQ(reason_of(plan + std::string((1 << 20) - plan.size(), ' ')), "");
  EXPECT_THAT(reason_of(plan + std::string((1 << 20) - plan.size() + 1, ' ')),
              testing::HasSubstr("the limit is 1048576"));
}

TEST(PlanLimits, ArgumentsAndDepthOfExpressions) {
  const auto launch = [](const std::string& grid, const std::string& args) {
    return R"j({"plan": 1, "run": [{"kernel": "both", "grid": [")j" + grid +
           R"j("], "block": [1], "args": )j" + args + "}]}";
  };
  EXPECT_THAT(reason_of(launch("1", list_of(65, "1"))),
              testing::HasSubstr("more than 64 arguments"));
  std::string sum = "1";
  for (int i = 0; i < 150; ++i) sum += "+1";
  EXPECT_EQ(reason_of(launch(sum, R"j(["out"])j")), "");
  for (int i = 0; i < 100; ++i) sum += "+1";
  EXPECT_THAT(reason_of(launch(sum, R"j(["out"])j")), testing::HasSubstr("200 levels"));
  EXPECT_THAT(reason_of(launch(std::string(70, '(') + "1" + std::string(70, ')'), R"j(["out"])j")),
              testing::HasSubstr("nested too deeply"));
  EXPECT_THAT(reason_of(launch(std::string(5000, ' '), R"j(["out"])j")),
              testing::HasSubstr("longer than 4096 characters"));
  EXPECT_THAT(reason_of(std::string(40, '[')), testing::HasSubstr("nested deeper than 32 levels"));
}

// Long chains of lets, each a deep expression, must cost neither stack nor time.
TEST(PlanLimits, ChainsOfLetsAreComputedInBoundedDepth) {
  std::string lets = R"j("n0": "1")j";
  for (int i = 1; i < 250; ++i) {
    std::string value = "n" + std::to_string(i - 1);
    for (int k = 0; k < 150; ++k) value += "+0";
    lets += ", \"n" + std::to_string(i) + "\": \"" + value + "\"";
  }
  EXPECT_EQ(
      reason_of(
          R"j({"plan": 1, "let": {)j" + lets +
          R"j(}, "run": [{"kernel": "both", "grid": ["n249"], "block": [1], "args": ["out"]}]})j"),
      "");
}

TEST(PlanLimits, ArithmeticOfAWholePlan) {
  std::string sum = "i";
  for (int i = 0; i < 190; ++i) sum += "+1";
  const std::string step =
      R"j({"fill": "out", "value": 0, "when": "0 * ()j" + sum + R"j() + 0 * ()j" + sum + R"j()"})j";
  EXPECT_THAT(
      reason_of(R"j({"plan": 1, "run": [{"repeat": 200000, "as": "i", "do": [)j" + step + "]}]}"),
      testing::HasSubstr("too much arithmetic"));
}

TEST(Plan, KernelsAreNamedOnceInsideBranchesToo) {
  const auto plan = parse_plan(R"j({"plan": 1,
    "prepare": [{"kernel": "p", "grid": [1], "block": [1], "args": []}],
    "run": [{"kernel": "a<1>", "when": 0, "grid": [1], "block": [1], "args": []},
            {"repeat": 0, "do": [{"kernel": "b", "grid": [1], "block": [1], "args": []},
                                 {"kernel": " a<1> ", "grid": [1], "block": [1], "args": []}]}]})j");
  ASSERT_TRUE(plan.ok()) << plan.outcome().reason;
  EXPECT_THAT(kernels_of(*plan), testing::ElementsAre("p", "a<1>", "b"));
}

TEST(Plan, WhatOneArchitectureCannotHoldIsNotARejectionElsewhere) {
  const auto plan =
      parse_plan(R"j({"plan": 1, "run": [{"kernel": "heavy", "grid": [1], "block": [1],
                                   "shared": 40000, "args": ["x", "out"]}]})j");
  const Subject with = subject();
  const auto small = resolve(*plan, with.variant, with.build, limits_of("gfx942"));
  ASSERT_FALSE(small.ok());
  EXPECT_EQ(small.outcome().kind, OutcomeKind::kNotJudgedHere);
  EXPECT_THAT(small.outcome().reason, testing::StartsWith("not for gfx942: "));
  EXPECT_TRUE(resolve(*plan, with.variant, with.build, limits_of("gfx950")).ok());
}

TEST(Plan, FollowsTheVariantItIsResolvedFor) {
  const auto plan = parse_plan(R"j({"plan": 1, "run": [
    {"kernel": "vec4", "when": "dim(x, 1) % 4 == 0", "grid": ["dim(x, 0)"], "block": [64], "args": ["x", "out", "numel(x)"]},
    {"kernel": "scale", "when": "dim(x, 1) % 4 != 0", "grid": ["dim(x, 0)"], "block": [64], "args": ["x", "out", "numel(x)", 1]}]
})j");
  Subject with = subject();
  with.variant.graph.inputs[0].spec.shape = {3, 7};
  const auto resolved = resolve(*plan, with.variant, with.build, limits_of("cpu"));
  ASSERT_TRUE(resolved.ok()) << resolved.outcome().reason;
  EXPECT_THAT(lines_of(*resolved),
              testing::ElementsAre("run[1] scale grid 3 1 1 block 64 1 1 lds 0 "
                                   "(input 0, output 0, 4:0x15, 4:0x3f800000)"));
}

}  // namespace
}  // namespace kvgen::test
