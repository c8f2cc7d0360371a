#include "pipeline/gate.h"

#include <gmock/gmock.h>

namespace kvgen {
namespace {

Build accepted(const std::string& target) {
  Build build;
  build.target = target;
  build.tokens_hash = "same";
  return build;
}

Build failed(const std::string& target, OutcomeKind kind) {
  Build build = accepted(target);
  build.failure = Outcome{kind, Stage::kCompile, "because", {}};
  return build;
}

TEST(Gate, AcceptedEverywhereMayRun) {
  EXPECT_EQ(pipeline::gate({accepted("cpu"), accepted("gfx942")}), std::nullopt);
}

TEST(Gate, AnArchitecturesRejectionRejectsWhicheverDeviceRanIt) {
  const auto outcome =
      pipeline::gate({accepted("cpu"), failed("gfx90a", OutcomeKind::kCompileError)});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->kind, OutcomeKind::kCompileError);
  EXPECT_EQ(outcome->detail["target"], "gfx90a");
}

TEST(Gate, ARejectionOutranksWhatCannotBeJudgedHere) {
  const auto outcome = pipeline::gate(
      {failed("cpu", OutcomeKind::kNotJudgedHere), failed("gfx942", OutcomeKind::kBadPlan)});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->kind, OutcomeKind::kBadPlan);
}

TEST(Gate, TextThatDiffersBetweenTargetsIsCheating) {
  Build other = accepted("gfx942");
  other.tokens_hash = "other";
  const auto outcome = pipeline::gate({accepted("cpu"), other});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->kind, OutcomeKind::kCheating);
}

TEST(Gate, InlineAssemblyThatOnlyTheGpuKnowsIsNotJudgedHere) {
  const auto outcome =
      pipeline::gate({failed("cpu", OutcomeKind::kNotJudgedHere), accepted("gfx942")});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->kind, OutcomeKind::kNotJudgedHere);
}

}  // namespace
}  // namespace kvgen
