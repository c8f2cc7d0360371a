#include <gmock/gmock.h>

#include "kvgen/generate/feedback.h"

namespace kvgen {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Task task_with_output(DType dtype) {
  Task task;
  Variant variant;
  variant.graph.outputs.push_back({{1}, {"out", TensorRole::kOutput, dtype, {4, 5}}});
  task.variants.push_back(std::move(variant));
  return task;
}

Attempt wrong_output() {
  Attempt attempt;
  attempt.outcome = {OutcomeKind::kWrongOutput,
                     Stage::kJudge,
                     "out: 4 of 20 elements are wrong (everything from [3, 1] to the end); at "
                     "[3, 1] expected 0.73105857863, got 0.25",
                     {{"output", "out"},
                      {"wrong", 4},
                      {"of", 20},
                      {"pattern", "tail_only"},
                      {"variant", "small"},
                      {"printed", "x[0] = 0.123456"},
                      {"seed", 77},
                      {"first",
                       {{{"index", {3, 1}}, {"expected", 0.73105857863}, {"got", 0.25}},
                        {{"index", {3, 2}}, {"expected", 2.0}, {"got", nullptr}, {"got_is", "nan"}},
                        {{"index", {3, 3}}, {"expected", 3.0}, {"got", 0.0}},
                        {{"index", {3, 4}}, {"expected", 4.0}, {"got", 0.0}}}}}};
  return attempt;
}

std::string text_of(const Task& task, const Attempt& attempt) {
  return feedback_card(task, attempt)["text"];
}

TEST(Card, SaysWhereAndHowFarOffWithoutGivingTheAnswer) {
  const std::string text = text_of(task_with_output(DType::kFloat32), wrong_output());
  EXPECT_THAT(text, AllOf(HasSubstr("wrong_output"), HasSubstr("4 of 20 elements of out"),
                          HasSubstr("variant: small"), HasSubstr("[3,1]"),
                          HasSubstr("expected about 7.3e-01, got about 2.5e-01"),
                          HasSubstr("got about nan"), HasSubstr("Hint: Only the end is wrong")));
  for (const char* secret : {"0.731058", "0.123456", "77", "[3,4]"}) {
    EXPECT_THAT(text, Not(HasSubstr(secret)));
  }
}

TEST(Card, ShowsNoValueOfAnExactOutput) {
  const std::string text = text_of(task_with_output(DType::kInt64), wrong_output());
  EXPECT_THAT(text, AllOf(HasSubstr("[3,1]"), Not(HasSubstr("expected"))));
}

TEST(Card, HoldsTheHeadOfTheDiagnostics) {
  Attempt attempt;
  attempt.outcome = {OutcomeKind::kCompileError, Stage::kCompile, "1 error", {{"target", "cpu"}}};
  Build build;
  build.target = "cpu";
  build.failure = attempt.outcome;
  build.diagnostics = "candidate.hip:3:7: error: no matching function `f`\n";
  for (int i = 0; i < 1000; ++i) build.diagnostics += "a later line\n";
  attempt.builds.push_back(build);
  const std::string text = text_of(task_with_output(DType::kFloat32), attempt);
  EXPECT_THAT(text, HasSubstr("candidate.hip:3:7: error: no matching function `f`"));
  EXPECT_LT(text.size(), 5000U);
}

TEST(Card, EveryOutcomeThatIsTheCandidatesHasAHint) {
  for (int kind = 0; kind < static_cast<int>(OutcomeKind::kVerified); ++kind) {
    Attempt attempt;
    attempt.outcome.kind = static_cast<OutcomeKind>(kind);
    attempt.outcome.reason = "why";
    EXPECT_THAT(text_of(task_with_output(DType::kFloat32), attempt), HasSubstr("Hint: "));
  }
}

}  // namespace
}  // namespace kvgen
