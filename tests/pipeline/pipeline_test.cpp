#include "kvgen/pipeline/pipeline.h"

#include "tests/pipeline/fixture.h"
#include "tests/support/fake_time.h"

namespace kvgen {
namespace {

using ::testing::ElementsAre;
using testing::FakeGenerator;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PipelineTest : public PipelineFixture {
 protected:
  Result<std::vector<TaskResult>> run(const std::vector<Task>& tasks, PipelineOptions options) {
    Verifier one = verifier();
    Pipeline pipeline(generator_, one, journal_, observer_, options);
    return testing::await(loop_, pipeline.run(tasks));
  }

  FakeGenerator generator_;
  testing::MemoryJournal journal_;
  PipelineObserver observer_;
};

TEST_F(PipelineTest, TheIntentAndTheReplyAreJournalledBeforeTheReplyIsUsed) {
  generator_.proposals = {FakeGenerator::reply(kGoodPlan)};
  compiler_.answer = [&](const CompileRequest& request) {
    EXPECT_EQ(journal_.calls.back(), "reply 0");
    return compiled(request);
  };
  ASSERT_TRUE(run({simple_task()}, {}).ok());
  EXPECT_THAT(journal_.calls, ElementsAre("task simple", "begin 0", "reply 0", "finish 0", "done"));
}

TEST_F(PipelineTest, ItRefinesUntilSomethingIsVerified) {
  generator_.proposals = {FakeGenerator::reply("no candidate"), FakeGenerator::reply("{}"),
                          FakeGenerator::reply(kGoodPlan)};
  const auto results = run({simple_task()}, {.attempts = 5});
  ASSERT_TRUE(results.ok());
  const TaskResult& result = results->front();
  ASSERT_THAT(result.attempts, SizeIs(3));
  EXPECT_EQ(result.attempts[0].outcome.kind, OutcomeKind::kNoCandidate);
  EXPECT_EQ(result.attempts[1].outcome.kind, OutcomeKind::kBadPlan);
  EXPECT_TRUE(result.best()->outcome.verified());
  EXPECT_THAT(generator_.asked, ElementsAre(0, 1, 2));
}

TEST_F(PipelineTest, AGeneratorsHonestNoIsAnOutcome) {
  generator_.proposals = {FakeGenerator::declined("no rule for aten::convolution")};
  generator_.turns = 1;
  const auto results = run({simple_task()}, {.attempts = 3});
  ASSERT_TRUE(results.ok());
  ASSERT_THAT(results->front().attempts, SizeIs(1));
  EXPECT_EQ(results->front().best()->outcome.reason, "no rule for aten::convolution");
}

TEST_F(PipelineTest, AResumedRunAsksForNothingItHas) {
  const Task task = simple_task();
  generator_.proposals = {FakeGenerator::reply(kGoodPlan)};
  journal_.replies[{task.hash, 0}] = Reply{kGoodPlan, {}};
  ASSERT_TRUE(run({task}, {}).ok());
  EXPECT_THAT(generator_.asked, IsEmpty());
  ASSERT_TRUE(run({task}, {}).ok());
  EXPECT_THAT(journal_.attempts[task.hash], SizeIs(1));
}

TEST_F(PipelineTest, AFaultOfOursLeavesTheTaskUnfinishedAndTheOthersGoOn) {
  generator_.proposals = {FakeGenerator::reply(kGoodPlan)};
  int builds = 0;
  compiler_.answer = [&](const CompileRequest& request) -> Result<Compiled> {
    if (builds++ == 0) return Error(Code::kWorker, "the compiler died");
    return compiled(request);
  };
  const Task first = simple_task("first");
  const Task second = simple_task("second");
  const auto results = run({first, second}, {});
  ASSERT_TRUE(results.ok());
  ASSERT_TRUE((*results)[0].error);
  EXPECT_FALSE(journal_.finished[first.hash]);
  EXPECT_THAT(journal_.attempts[first.hash], IsEmpty());
  EXPECT_TRUE((*results)[1].best()->outcome.verified());
}

TEST_F(PipelineTest, AFullDiskEndsTheRun) {
  generator_.proposals = {FakeGenerator::reply(kGoodPlan)};
  journal_.broken = Error(Code::kFull, "no space left");
  const auto results = run({simple_task("a"), simple_task("b")}, {});
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.error().code(), Code::kFull);
}

TEST_F(PipelineTest, AFullDiskIsWaitedForAndNothingIsDoneTwice) {
  testing::FakeTime time;
  generator_.proposals = {FakeGenerator::reply(kGoodPlan)};
  compiler_.answer = [&](const CompileRequest& request) {
    journal_.broken = Error(Code::kFull, "no space left");
    return compiled(request);
  };
  time.on_sleep = [&] {
    if (time.naps.size() == 3) journal_.broken.reset();
  };
  const auto results =
      run({simple_task()}, {.unattended = Unattended{time, time, std::chrono::minutes(10)}});
  ASSERT_TRUE(results.ok()) << results.error().message();
  EXPECT_TRUE(results->front().best()->outcome.verified());
  EXPECT_THAT(generator_.asked, SizeIs(1));
  EXPECT_THAT(time.naps, SizeIs(3));
}

TEST_F(PipelineTest, ADiskThatStaysFullEndsTheRunWhenPatienceEnds) {
  testing::FakeTime time;
  journal_.broken = Error(Code::kFull, "no space left");
  const auto results =
      run({simple_task()}, {.unattended = Unattended{time, time, std::chrono::minutes(10)}});
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.error().code(), Code::kFull);
  EXPECT_THAT(time.naps, SizeIs(60));
}

TEST_F(PipelineTest, WhenTheTimeIsUpNothingNewIsBegunAndALaterRunGoesOn) {
  testing::FakeTime time;
  generator_.proposals = {FakeGenerator::reply("no candidate"), FakeGenerator::reply(kGoodPlan)};
  Unattended unattended{time, time, {}, time.now() + std::chrono::hours(1)};
  generator_.on_propose = [&] { time.pass(std::chrono::hours(2)); };
  const Task first = simple_task("first");
  const Task second = simple_task("second");
  const auto stopped = run({first, second}, {.attempts = 2, .unattended = unattended});
  ASSERT_TRUE(stopped.ok());
  ASSERT_THAT(*stopped, SizeIs(1));
  EXPECT_TRUE((*stopped)[0].left);
  EXPECT_FALSE((*stopped)[0].error);
  EXPECT_THAT((*stopped)[0].attempts, SizeIs(1));
  EXPECT_FALSE(journal_.finished[first.hash]);

  const auto later = run({first}, {.attempts = 2});
  ASSERT_TRUE(later.ok());
  EXPECT_TRUE(later->front().best()->outcome.verified());
  EXPECT_THAT(generator_.asked, ElementsAre(0, 1));
}

TEST_F(PipelineTest, ADegenerateTaskIsRefusedUnlessAdmitted) {
  generator_.proposals = {FakeGenerator::reply(kGoodPlan)};
  Task task = simple_task();
  task.marks = {"degenerate: zeros"};
  const auto refused = run({task}, {});
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->front().refused, "degenerate: zeros");
  EXPECT_THAT(generator_.asked, IsEmpty());
  const auto admitted = run({task}, {.refused_marks = {}});
  ASSERT_TRUE(admitted.ok());
  EXPECT_TRUE(admitted->front().best()->outcome.verified());
}

}  // namespace
}  // namespace kvgen
