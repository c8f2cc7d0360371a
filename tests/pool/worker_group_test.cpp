#include "kvgen/pool/worker_group.h"

#include "kvgen/stage/all_of.h"
#include "tests/pool/fixture.h"

namespace kvgen {
namespace {

class WorkerGroupTest : public PoolTest {};

TEST_F(WorkerGroupTest, ARequestWhoseWorkerDiesIsAskedOfAFreshOne) {
  WorkerGroup group(loop_.get_executor(), fake(), 1, null_log());
  const auto marker = (folder_.path() / "marker").string();
  auto reply = testing::await(loop_, group.ask_any("die_once", {{{"marker", marker}}, {}}, kLong));
  ASSERT_TRUE(reply.ok()) << reply.error().message();
  EXPECT_EQ(reply->json["survived"], true);
}

TEST_F(WorkerGroupTest, ARequestThatKillsEveryWorkerEndsAsAnError) {
  WorkerGroup group(loop_.get_executor(), fake(), 2, null_log());
  auto reply = testing::await(loop_, group.ask_any("die", {Json::object(), {}}, kLong));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code(), Code::kWorker);
  auto next = testing::await(loop_, group.ask_any("echo", {{{"x", 1}}, {}}, kLong));
  EXPECT_TRUE(next.ok());
}

TEST_F(WorkerGroupTest, WorkersShareTheLoadAndStartOnlyWhenNeeded) {
  WorkerGroup group(loop_.get_executor(), fake(), 4, null_log());
  testing::await(loop_, all_of(2, 2, [&](std::size_t) -> Awaitable<void> {
                   const auto reply = co_await group.ask_any("echo", {Json::object(), {}}, kLong);
                   EXPECT_TRUE(reply.ok());
                 }));
  EXPECT_EQ(group.pids().size(), 2U);
}

TEST_F(WorkerGroupTest, ANewIncarnationIsToldApart) {
  WorkerGroup group(loop_.get_executor(), fake(), 1, null_log());
  testing::await(loop_, [&]() -> Awaitable<void> {
    auto worker = co_await group.lease();
    (void)co_await worker.ask("echo", {Json::object(), {}}, kLong);
    const auto before = worker.incarnation();
    (void)co_await worker.ask("die", {Json::object(), {}}, kLong);
    EXPECT_NE(worker.incarnation(), before);
    const auto expected = worker.incarnation();
    (void)co_await worker.ask("echo", {Json::object(), {}}, kLong);
    EXPECT_EQ(worker.incarnation(), expected);
  }());
}

}  // namespace
}  // namespace kvgen
