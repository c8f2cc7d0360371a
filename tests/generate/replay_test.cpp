#include "kvgen/generate/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kvgen/generate/generator.h"
#include "tests/support/fake_asking.h"
#include "tests/support/loop.h"
#include "tests/support/temp_folder.h"

namespace kvgen {
namespace {

using ::testing::HasSubstr;

class ReplayedFiles : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << text;
  }

  Result<Proposal> proposed(const std::string& task_name, std::size_t turn) {
    Task task;
    task.name = task_name;
    boost::asio::io_context loop;
    return kvgen::testing::await(loop, generator_->propose(task, History(turn), asking_));
  }

  int turns(const std::string& task_name) {
    Task task;
    task.name = task_name;
    return generator_->useful_turns(task);
  }

  kvgen::testing::TempFolder folder_;
  kvgen::testing::FakeAsking asking_;
  std::unique_ptr<Generator> generator_ = make_replay(folder_.path(), real_files());
};

TEST_F(ReplayedFiles, AreOneTurnWhenThereIsOneFile) {
  write("softmax.md", "a reply");
  EXPECT_EQ(turns("softmax"), 1);
  const auto first = proposed("softmax", 0);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->reply->text, "a reply");
  EXPECT_EQ(first->reply->origin["file"], "softmax.md");
}

TEST_F(ReplayedFiles, AreTakenInNumericalOrder) {
  for (int turn = 0; turn < 11; ++turn) {
    write("softmax/" + std::to_string(turn) + ".md", "reply " + std::to_string(turn));
  }
  write("softmax/notes.md", "not a turn");
  EXPECT_EQ(turns("softmax"), 11);
  EXPECT_EQ(proposed("softmax", 2)->reply->text, "reply 2");
  EXPECT_EQ(proposed("softmax", 10)->reply->text, "reply 10");
  EXPECT_THAT(proposed("softmax", 11)->declined->reason, HasSubstr("no reply for turn 11"));
}

TEST_F(ReplayedFiles, ThatDoNotExistAreNoCandidate) {
  const auto proposal = proposed("softmax", 0);
  ASSERT_TRUE(proposal.ok());
  EXPECT_FALSE(proposal->reply.has_value());
  EXPECT_EQ(proposal->declined->kind, OutcomeKind::kNoCandidate);
  EXPECT_EQ(proposal->declined->reason, "no reply for softmax in " + folder_.path().string());
}

TEST_F(ReplayedFiles, OfFiftyMegabytesAreNoCandidate) {
  write("softmax.md", "");
  std::filesystem::resize_file(folder_.path() / "softmax.md", 50 << 20);
  const auto proposal = proposed("softmax", 0);
  ASSERT_TRUE(proposal.ok());
  EXPECT_EQ(proposal->declined->kind, OutcomeKind::kNoCandidate);
  EXPECT_THAT(proposal->declined->reason, HasSubstr("larger than the limit"));
}

TEST_F(ReplayedFiles, OutsideTheFolderAreNotReached) {
  write("inner/x.md", "a reply");
  generator_ = make_replay(folder_.path() / "inner/deep", real_files());
  EXPECT_TRUE(proposed("../x", 0)->declined.has_value());
}

Result<std::unique_ptr<Generator>> made(const std::string& spec) {
  return make_generator(spec, real_files(), real_clock(), {});
}

TEST_F(ReplayedFiles, AreNamedOnTheCommandLine) {
  const auto generator = made("replay:" + folder_.path().string());
  ASSERT_TRUE(generator.ok());
  EXPECT_EQ((*generator)->describe()["kind"], "replay");
}

TEST(MakeGenerator, SaysWhatThereIs) {
  const auto unknown = made("gpt");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code(), Code::kUsage);
  EXPECT_THAT(unknown.error().message(), HasSubstr("builtin, replay:DIR"));
  EXPECT_FALSE(made("replay:").ok());
  const kvgen::testing::TempFolder folder;
  EXPECT_FALSE(made("replay:" + (folder.path() / "gone").string()).ok());
  EXPECT_TRUE(made("builtin").ok());
}

}  // namespace
}  // namespace kvgen
