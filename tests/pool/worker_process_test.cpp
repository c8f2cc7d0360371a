#include "kvgen/pool/worker_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "kvgen/base/fd.h"
#include "kvgen/worker/arena.h"
#include "tests/pool/fixture.h"

namespace kvgen {
namespace {

using ::testing::HasSubstr;

class WorkerProcessTest : public PoolTest {
 protected:
  std::unique_ptr<WorkerProcess> start() {
    auto process = WorkerProcess::start(loop_.get_executor(), fake());
    EXPECT_TRUE(process.ok());
    return std::move(process).value();
  }
};

TEST_F(WorkerProcessTest, AnswersOneRequestAfterAnotherWithDescriptors) {
  const auto worker = start();
  auto blob = sealed_blob("blob", "twelve bytes");
  ASSERT_TRUE(blob.ok());
  for (int i = 0; i < 3; ++i) {
    auto reply = testing::await(loop_, worker->ask("echo", {{{"i", i}}, {*blob}}, kLong));
    ASSERT_TRUE(reply.ok()) << reply.error().message();
    EXPECT_EQ(reply->json["i"], i);
    ASSERT_EQ(reply->fds.size(), 1U);
    EXPECT_EQ(*read_blob(*reply->fds[0], 100), "twelve bytes");
  }
}

TEST_F(WorkerProcessTest, AMessageLargerThanTheSocketBufferArrivesWhole) {
  const auto worker = start();
  const std::string text(20 << 20, 'x');
  auto reply = testing::await(loop_, worker->ask("echo", {{{"text", text}}, {}}, kLong));
  ASSERT_TRUE(reply.ok()) << reply.error().message();
  EXPECT_EQ(reply->json["text"].get<std::string>().size(), text.size());
}

TEST_F(WorkerProcessTest, ADeathIsAnErrorOfOursThatSaysHow) {
  const auto worker = start();
  const auto reply = testing::await(loop_, worker->ask("die", {Json::object(), {}}, kLong));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code(), Code::kWorker);
  EXPECT_TRUE(reply.error().retryable());
  EXPECT_THAT(reply.error().message(), HasSubstr("killed by SIGKILL"));
  EXPECT_FALSE(worker->alive());
}

TEST_F(WorkerProcessTest, PastTheDeadlineTheWholeTreeIsKilled) {
  const auto worker = start();
  const auto pid_file = folder_.path() / "pid";
  const auto reply = testing::await(
      loop_, worker->ask("leave_child_and_hang", {{{"pid_file", pid_file.string()}}, {}}, kShort));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code(), Code::kTimeout);
  pid_t grandchild = 0;
  std::ifstream(pid_file) >> grandchild;
  ASSERT_GT(grandchild, 0);
  // Killed, it may still have to be scheduled to die.
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, grandchild, 0)));
  if (!process.valid()) {
    EXPECT_EQ(errno, ESRCH);
    return;
  }
  pollfd ended{process.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&ended, 1, 30'000), 1) << "process " << grandchild << " lives on";
}

TEST_F(WorkerProcessTest, TheWorkersOwnErrorIsPassedOnAndItLives) {
  const auto worker = start();
  const auto reply = testing::await(loop_, worker->ask("refuse", {Json::object(), {}}, kLong));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code(), Code::kInvalid);
  EXPECT_EQ(reply.error().message(), "that makes no sense");
  EXPECT_TRUE(worker->alive());
}

TEST_F(WorkerProcessTest, NothingOfOurEnvironmentIsInherited) {
  const auto worker = start();
  const auto reply = testing::await(loop_, worker->ask("environment", {Json::object(), {}}, kLong));
  ASSERT_TRUE(reply.ok());
  for (const Json& entry : reply->json["environment"]) {
    const auto text = entry.get<std::string>();
    EXPECT_TRUE(text.starts_with("TMPDIR=") || text.starts_with("HOME=")) << text;
  }
}

TEST_F(WorkerProcessTest, ItsWorkingFolderGoesWithIt) {
  {
    const auto worker = start();
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() / "scratch"));
}

TEST_F(WorkerProcessTest, AMissingProgramIsSaidToBeMissing) {
  WorkerCommand command = fake();
  command.program = folder_.path() / "nothing";
  const auto process = WorkerProcess::start(loop_.get_executor(), command);
  ASSERT_FALSE(process.ok());
  EXPECT_EQ(process.error().code(), Code::kMissing);
}

}  // namespace
}  // namespace kvgen
