#include "kvgen/pipeline/verifier.h"

#include <set>

#include "tests/pipeline/fixture.h"

namespace kvgen {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class VerifierTest : public PipelineFixture {};

TEST_F(VerifierTest, AGoodCandidateIsBuiltForEveryTargetAndJudgedOnEveryCase) {
  const Attempt attempt = prove(simple_task());
  EXPECT_TRUE(attempt.outcome.verified()) << attempt.outcome.reason;
  EXPECT_THAT(compiler_.targets, ElementsAre("cpu", "gfx942", "gfx90a"));
  EXPECT_THAT(referee_.opened,
              ElementsAre("tiny/recorded", "tiny/normal", "tiny/low_variance", "tiny/scaled",
                          "tiny/coarse", "small/recorded", "small/shifted"));
  EXPECT_THAT(attempt.verdict->cases, SizeIs(7));
  EXPECT_TRUE(attempt.verdict->repeatable);
}

TEST_F(VerifierTest, OddSizesAreJudgedWhereTheTaskHasThem) {
  prove(simple_task("simple", {"official", "small", "tiny", "odd", "tiny_odd"}));
  EXPECT_THAT(referee_.opened,
              ElementsAre("tiny/recorded", "tiny/normal", "tiny_odd/low_variance", "tiny/scaled",
                          "tiny/coarse", "small/recorded", "odd/shifted"));
}

TEST_F(VerifierTest, BlocksAndLanesRunInSeveralOrders) {
  prove(simple_task());
  EXPECT_THAT(std::set<std::string>(runner_.schedules.begin(), runner_.schedules.end()),
              UnorderedElementsAre("forward", "reverse", "random"));
}

TEST_F(VerifierTest, TheFirstWrongCaseDecidesAndNothingMoreIsRun) {
  referee_.judges = [](const CaseRequest& request) {
    Judgement judged = testing::FakeReferee::within(request);
    if (request.distribution == "normal") {
      judged.outcome = {OutcomeKind::kWrongOutput, Stage::kJudge, "the last row is missing", {}};
    }
    return judged;
  };
  const Attempt attempt = prove(simple_task());
  EXPECT_EQ(attempt.outcome.kind, OutcomeKind::kWrongOutput);
  EXPECT_EQ(attempt.outcome.detail["variant"], "tiny");
  EXPECT_EQ(attempt.outcome.detail["distribution"], "normal");
  EXPECT_THAT(runner_.schedules, SizeIs(2));
}

TEST_F(VerifierTest, ABadPlanNeverReachesACompiler) {
  const Attempt attempt =
      prove(simple_task(), R"({"plan": 1, "run": [{"fill": "nobody", "value": 0}]})");
  EXPECT_EQ(attempt.outcome.kind, OutcomeKind::kBadPlan);
  EXPECT_THAT(compiler_.targets, IsEmpty());
}

TEST_F(VerifierTest, ACrashIsTheRunnersWordsAndTheVariant) {
  runner_.answer = [](const RunRequest&) -> Result<RunSeen> {
    return RunSeen{false, "out_of_bounds", "read past x", {{"tensor", "x"}}, "", 0};
  };
  const Attempt attempt = prove(simple_task());
  EXPECT_EQ(attempt.outcome.kind, OutcomeKind::kOutOfBounds);
  EXPECT_EQ(attempt.outcome.stage, Stage::kRun);
  EXPECT_EQ(attempt.outcome.detail["tensor"], "x");
  EXPECT_EQ(attempt.outcome.detail["variant"], "tiny");
}

TEST_F(VerifierTest, OutputsThatDifferWithoutAtomicsAreNondeterministic) {
  int run = 0;
  referee_.judges = [&](const CaseRequest& request) {
    Judgement judged = testing::FakeReferee::within(request);
    judged.verdict.output_digest = "digest " + std::to_string(run++);
    return judged;
  };
  EXPECT_EQ(prove(simple_task()).outcome.kind, OutcomeKind::kNondeterministic);
}

TEST_F(VerifierTest, OutputsThatDifferByFloatAtomicsAreVerifiedButNotRepeatable) {
  compiler_.answer = [](const CompileRequest& request) {
    auto result = compiled(request);
    result->build.kernels[0].float_atomics = true;
    return result;
  };
  int run = 0;
  referee_.judges = [&](const CaseRequest& request) {
    Judgement judged = testing::FakeReferee::within(request);
    judged.verdict.output_digest = "digest " + std::to_string(run++);
    return judged;
  };
  const Attempt attempt = prove(simple_task());
  EXPECT_TRUE(attempt.outcome.verified());
  EXPECT_FALSE(attempt.verdict->repeatable);
}

TEST_F(VerifierTest, ADistributionTheTaskDoesNotAdmitIsPassedOver) {
  referee_.admits = [](const CaseRequest& request) -> Result<void> {
    if (request.distribution == "shifted") return Error(Code::kInvalid, "log of a negative");
    return ok();
  };
  const Attempt attempt = prove(simple_task());
  EXPECT_TRUE(attempt.outcome.verified());
  EXPECT_THAT(attempt.verdict->cases, SizeIs(6));
}

TEST_F(VerifierTest, AReferenceTooLargeForThisMachineIsNotTheCandidatesFault) {
  referee_.admits = [](const CaseRequest&) -> Result<void> {
    return Error(Code::kFull, "needs 90 GB");
  };
  const Attempt attempt = prove(simple_task());
  EXPECT_EQ(attempt.outcome.kind, OutcomeKind::kNotJudgedHere);
  EXPECT_THAT(attempt.outcome.reason, HasSubstr("90 GB"));
}

TEST_F(VerifierTest, ReferencesAreOpenedOnceForAllCandidatesOfATask) {
  const Task task = simple_task();
  Verifier one = verifier();
  Cases cases(task);
  for (int i = 0; i < 3; ++i) {
    Attempt attempt;
    attempt.candidate = Candidate{"source", kGoodPlan, "hash", {}};
    EXPECT_TRUE(testing::await(loop_, one.prove(cases, attempt)).ok());
  }
  EXPECT_THAT(referee_.opened, SizeIs(7));
}

TEST_F(VerifierTest, WhatIsVerifiedIsTimedAgainstEagerOnANamedVariant) {
  options_.profile = true;
  const Attempt attempt = prove(simple_task());
  ASSERT_TRUE(attempt.profile);
  EXPECT_EQ(attempt.profile->variant, "official");
  EXPECT_EQ(attempt.profile->baseline, "fake libtorch eager, float32");
  EXPECT_NEAR(attempt.profile->candidate.median, 1000, 1);
  ASSERT_TRUE(attempt.profile->speedup);
  EXPECT_NEAR(*attempt.profile->speedup, 2.0, 0.01);
}

TEST_F(VerifierTest, OutputsThatGoWrongWhileTimedRejectTheCandidate) {
  options_.profile = true;
  int judged = 0;
  referee_.judges = [&](const CaseRequest& request) {
    Judgement one = testing::FakeReferee::within(request);
    if (++judged == 11) {  // seven cases, two repetitions and the official shape pass
      one.outcome = {OutcomeKind::kWrongOutput, Stage::kJudge, "stale output", {}};
    }
    return one;
  };
  const Attempt attempt = prove(simple_task());
  EXPECT_EQ(attempt.outcome.kind, OutcomeKind::kWrongOutput);
  EXPECT_THAT(attempt.outcome.reason, HasSubstr("while it was timed"));
  EXPECT_FALSE(attempt.profile);
}

}  // namespace
}  // namespace kvgen
