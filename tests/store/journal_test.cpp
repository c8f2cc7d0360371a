#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "kvgen/store/run_journal.h"
#include "kvgen/store/run_status.h"
#include "tests/support/faulty_files.h"
#include "tests/support/specimens.h"
#include "tests/support/temp_folder.h"

namespace kvgen {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using testing::specimen_attempt;
using testing::specimen_reply;
using testing::specimen_task;
using testing::TempFolder;

class JournalTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<RunJournal>> try_open(Json settings = {{"attempts", 3}},
                                               bool paid = true) {
    return RunJournal::open({run_, std::move(settings), paid}, real_files(), real_clock());
  }
  std::unique_ptr<RunJournal> open() {
    auto journal = try_open();
    EXPECT_TRUE(journal.ok()) << journal.error().message();
    return journal.ok() ? std::move(*journal) : nullptr;
  }
  fs::path file() const { return run_ / "journal.sqlite"; }

  // Opens the journal in a child, uses it, and is killed with it open.
  void killed_after(const std::function<bool(RunJournal&)>& work, bool paid = true) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto journal = try_open({{"attempts", 3}}, paid);
      if (!journal.ok() || !work(**journal)) ::_exit(1);
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended with " << WEXITSTATUS(status);
  }
  // Of the whole attempt: equal text is equal in everything that is stored.
  static std::string text(const Attempt& attempt) { return to_line(to_json(attempt)); }

  TempFolder folder_;
  fs::path run_ = folder_.path() / "RUN";
  Task task_ = specimen_task();
};

TEST_F(JournalTest, WhatWasFinishedIsThereAfterAKill) {
  const Attempt attempt = specimen_attempt(task_, 0, OutcomeKind::kVerified);
  killed_after([&](RunJournal& journal) {
    return journal.add_task(task_).ok() && journal.add_rejected_source("a.py", "no Model").ok() &&
           journal.begin_attempt(task_.hash, 0).ok() &&
           journal.keep_reply(task_.hash, 0, *attempt.reply).ok() &&
           journal.finish_attempt(attempt).ok() && journal.finish_task(task_.hash).ok();
  });
  auto journal = open();
  EXPECT_TRUE(journal->resumed());
  EXPECT_TRUE(*journal->task_finished(task_.hash));
  const auto attempts = journal->finished_attempts(task_.hash);
  ASSERT_TRUE(attempts.ok()) << attempts.error().message();
  ASSERT_EQ(attempts->size(), 1U);
  EXPECT_EQ(text(attempts->front()), text(attempt));
  EXPECT_EQ(attempts->front().id(), attempt.id());
  EXPECT_EQ(to_json(*journal->task(task_.hash)), to_json(task_));
  ASSERT_EQ(journal->rejected_sources()->size(), 1U);
  EXPECT_EQ(journal->rejected_sources()->front().reason, "no Model");
}

TEST_F(JournalTest, AKeptReplyIsUsedAgainAndNeverCountedAsBoughtTwice) {
  killed_after([&](RunJournal& journal) {
    return journal.add_task(task_).ok() && journal.begin_attempt(task_.hash, 0).ok() &&
           journal.keep_reply(task_.hash, 0, specimen_reply()).ok();
  });
  auto journal = open();
  const auto kept = journal->kept_reply(task_.hash, 0);
  ASSERT_TRUE(kept.ok() && kept->has_value());
  EXPECT_EQ((*kept)->text, specimen_reply().text);
  EXPECT_EQ((*kept)->origin, specimen_reply().origin);
  EXPECT_TRUE(journal->begin_attempt(task_.hash, 0).ok());
  EXPECT_EQ(*journal->possibly_bought_twice(), 0);
  EXPECT_TRUE(journal->finished_attempts(task_.hash)->empty());
}

TEST_F(JournalTest, EveryRequestWhoseAnswerWasLostIsMarked) {
  const auto begun = [&](RunJournal& journal) {
    return journal.add_task(task_).ok() && journal.begin_attempt(task_.hash, 0).ok();
  };
  const auto asked = [&](RunJournal& journal) {
    return begun(journal) && journal.about_to_ask(task_.hash, 0).ok();
  };
  killed_after(begun, true);
  killed_after(asked, true);
  killed_after(asked, true);
  auto journal = try_open({{"attempts", 3}}, true);
  EXPECT_FALSE((*journal)->kept_reply(task_.hash, 0)->has_value());
  EXPECT_EQ(*(*journal)->possibly_bought_twice(), 1);
  EXPECT_TRUE((*journal)->about_to_ask(task_.hash, 0).ok());
  EXPECT_EQ(*(*journal)->possibly_bought_twice(), 2);
  EXPECT_TRUE((*journal)->keep_reply(task_.hash, 0, specimen_reply()).ok());
  EXPECT_FALSE((*journal)->about_to_ask(task_.hash, 0).ok());
  EXPECT_EQ(*(*journal)->possibly_bought_twice(), 2);
}

TEST_F(JournalTest, ARefusedRequestWasNotBought) {
  killed_after(
      [&](RunJournal& journal) {
        return journal.add_task(task_).ok() && journal.begin_attempt(task_.hash, 0).ok() &&
               journal.about_to_ask(task_.hash, 0).ok() &&
               journal.nothing_bought(task_.hash, 0).ok();
      },
      true);
  auto journal = try_open({{"attempts", 3}}, true);
  EXPECT_TRUE((*journal)->about_to_ask(task_.hash, 0).ok());
  EXPECT_EQ(*(*journal)->possibly_bought_twice(), 0);
}

TEST_F(JournalTest, WhatAnEarlierProcessDidIsKnownAtOnce) {
  const Task unfinished = specimen_task("later");
  killed_after([&](RunJournal& journal) {
    return journal.add_task(task_).ok() && journal.note_source("a 1", task_.hash).ok() &&
           journal.add_task(unfinished).ok() && journal.note_source("b 1", unfinished.hash).ok() &&
           journal.begin_attempt(unfinished.hash, 0).ok() &&
           journal.keep_reply(unfinished.hash, 0, specimen_reply()).ok() &&
           journal.finish_task(task_.hash).ok();
  });
  EXPECT_EQ(**RunJournal::settings_in(run_, real_files()), Json({{"attempts", 3}}));
  EXPECT_EQ(*RunJournal::settings_in(folder_.path(), real_files()), std::nullopt);
  auto journal = open();
  const auto finished = journal->finished_sources();
  ASSERT_TRUE(finished.ok()) << finished.error().message();
  EXPECT_THAT(*finished, ElementsAre(Pair("a 1", task_.hash)));
  EXPECT_THAT(*journal->unjudged_sources(), ElementsAre("b 1"));
}

TEST_F(JournalTest, RepliesAreKeptByteForByte) {
  Reply reply;
  reply.text = std::string("a\0b\xff\xfe\r\n", 7);
  auto journal = open();
  ASSERT_TRUE(journal->add_task(task_).ok());
  for (const auto& [turn, content] : {std::pair{0, reply.text}, {1, std::string()}}) {
    reply.text = content;
    ASSERT_TRUE(journal->begin_attempt(task_.hash, turn).ok());
    ASSERT_TRUE(journal->keep_reply(task_.hash, turn, reply).ok());
    EXPECT_EQ(journal->kept_reply(task_.hash, turn)->value().text, content);
  }
}

TEST_F(JournalTest, StepsOutOfOrderAreOurFault) {
  auto journal = open();
  EXPECT_EQ(journal->begin_attempt(task_.hash, 0).error().code(), Code::kNotFound);
  EXPECT_EQ(journal->finish_task(task_.hash).error().code(), Code::kNotFound);
  ASSERT_TRUE(journal->add_task(task_).ok());
  EXPECT_TRUE(journal->add_task(task_).ok()) << "the same task again is fine";
  const Attempt attempt = specimen_attempt(task_, 0, OutcomeKind::kBadPlan);
  EXPECT_EQ(journal->finish_attempt(attempt).error().code(), Code::kInternal);
  EXPECT_EQ(journal->keep_reply(task_.hash, 0, *attempt.reply).error().code(), Code::kInternal);
  ASSERT_TRUE(journal->begin_attempt(task_.hash, 0).ok());
  EXPECT_EQ(journal->finish_attempt(attempt).error().code(), Code::kInternal)
      << "its reply was not kept";
  ASSERT_TRUE(journal->keep_reply(task_.hash, 0, *attempt.reply).ok());
  EXPECT_EQ(journal->keep_reply(task_.hash, 0, specimen_reply(9)).error().code(), Code::kInternal);
  ASSERT_TRUE(journal->finish_attempt(attempt).ok());
  EXPECT_TRUE(journal->finish_attempt(attempt).ok()) << "the same record again is fine";
  EXPECT_EQ(journal->begin_attempt(task_.hash, 0).error().code(), Code::kInternal);
}

TEST_F(JournalTest, ADeclinedTurnHasNoReply) {
  auto journal = open();
  ASSERT_TRUE(journal->add_task(task_).ok());
  ASSERT_TRUE(journal->begin_attempt(task_.hash, 0).ok());
  const Attempt declined = specimen_attempt(task_, 0, OutcomeKind::kNoCandidate);
  ASSERT_TRUE(journal->finish_attempt(declined).ok());
  EXPECT_EQ(text(journal->finished_attempts(task_.hash)->front()), text(declined));
}

TEST_F(JournalTest, OtherSettingsAreAConflictThatNamesEachOne) {
  const Json then = {{"attempts", 3}, {"device", "cpu"}, {"generator", {{"kind", "builtin"}}}};
  const Json now = {
      {"attempts", 5}, {"device", "cpu"}, {"generator", {{"kind", "replay:x"}}}, {"policy", 2}};
  ASSERT_TRUE(try_open(then).ok());
  const auto refused = try_open(now);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), Code::kConflict);
  EXPECT_THAT(refused.error().message(),
              AllOf(HasSubstr("attempts: 3 then, 5 now"),
                    HasSubstr("generator.kind: \"builtin\" then, \"replay:x\" now"),
                    HasSubstr("policy: not set then, 2 now"), Not(HasSubstr("device"))));
  EXPECT_TRUE(try_open(then).ok());
}

TEST_F(JournalTest, OneKvgenAtATime) {
  auto first = open();
  const auto second = try_open();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), Code::kConflict);
  EXPECT_THAT(second.error().message(), HasSubstr("process " + std::to_string(::getpid())));
  EXPECT_TRUE(RunJournal::open_existing(run_, real_files(), real_clock()).ok())
      << "reading is possible meanwhile";
  first.reset();
  EXPECT_TRUE(try_open().ok());
}

TEST_F(JournalTest, AReaderChangesNothing) {
  open();
  auto reader = RunJournal::open_existing(run_, real_files(), real_clock());
  ASSERT_TRUE(reader.ok()) << reader.error().message();
  EXPECT_EQ((*reader)->settings(), Json({{"attempts", 3}}));
  EXPECT_EQ((*reader)->add_task(task_).error().code(), Code::kDenied);
  const auto nowhere =
      RunJournal::open_existing(folder_.path() / "nowhere", real_files(), real_clock());
  EXPECT_EQ(nowhere.error().code(), Code::kNotFound);
}

TEST_F(JournalTest, AKillBeforeTheSchemaIsCompleteBeginsAnew) {
  fs::create_directories(run_);
  std::ofstream(file()) << "";
  EXPECT_FALSE(open()->resumed());
}

TEST_F(JournalTest, AnEmptyJournalOfARunThatHadTasksIsNotBegunAnew) {
  for (const char* made : {"tasks", "shards"}) {
    fs::remove_all(run_);
    fs::create_directories(run_ / made);
    std::ofstream(file()) << "";
    const auto opened = try_open();
    ASSERT_FALSE(opened.ok()) << made;
    EXPECT_EQ(opened.error().code(), Code::kInvalid);
    EXPECT_THAT(opened.error().message(), AllOf(HasSubstr("is empty"), HasSubstr(made)));
    EXPECT_EQ(fs::file_size(file()), 0U);
  }
}

TEST_F(JournalTest, AReaderDoesNotTurnAnEmptyFileIntoAJournal) {
  fs::create_directories(run_);
  std::ofstream(file()) << "";
  const auto opened = RunJournal::open_existing(run_, real_files(), real_clock());
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message(), HasSubstr("is empty"));
  EXPECT_FALSE(read_status(real_files(), run_).ok());
  EXPECT_EQ(fs::file_size(file()), 0U);
}

TEST_F(JournalTest, StatusIsReadWhileTheRunIsHeld) {
  auto journal = open();
  ASSERT_TRUE(journal->add_task(task_).ok());
  const Task refused = specimen_task("refused");
  ASSERT_TRUE(journal->add_task(refused).ok());
  ASSERT_TRUE(journal->refuse_task(refused.hash, "random").ok());
  ASSERT_TRUE(journal->add_task(specimen_task("later")).ok());
  const Attempt attempt = specimen_attempt(task_, 0, OutcomeKind::kVerified);
  ASSERT_TRUE(journal->begin_attempt(task_.hash, 0).ok());
  ASSERT_TRUE(journal->keep_reply(task_.hash, 0, *attempt.reply).ok());
  ASSERT_TRUE(journal->finish_attempt(attempt).ok());
  ASSERT_TRUE(journal->finish_task(task_.hash).ok());
  ASSERT_TRUE(journal->note_error("later", "no compiler").ok());
  const auto status = read_status(real_files(), run_);
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_EQ(status->tasks, 3);
  EXPECT_EQ(status->finished, 1);
  EXPECT_EQ(status->refused, 1);
  EXPECT_EQ(status->left(), 1);
  EXPECT_EQ(status->verified, 1);
  EXPECT_EQ(status->finished_since_opened, 1);
  EXPECT_EQ(status->outcomes.at("verified"), 1);
  EXPECT_EQ(status->last_error.at("message"), Json("no compiler"));
  EXPECT_EQ(status->owner, std::optional<int>(::getpid()));
  journal.reset();
  EXPECT_EQ(read_status(real_files(), run_)->owner, std::nullopt);
}

TEST_F(JournalTest, AFileThatIsNoDatabaseIsTold) {
  fs::create_directories(run_);
  std::ofstream(file()) << std::string(8192, 'x');
  const auto opened = try_open();
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code(), Code::kInvalid);
  EXPECT_THAT(opened.error().message(), HasSubstr("choose another folder"));
}

TEST_F(JournalTest, AnotherProgramsDatabaseIsLeftAlone) {
  fs::create_directories(run_);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &other), SQLITE_OK);
  sqlite3_exec(other, "CREATE TABLE t(x)", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  const auto bytes = real_files().read(file(), 1 << 20);
  EXPECT_THAT(try_open().error().message(), HasSubstr("not a journal of kvgen"));
  EXPECT_EQ(*real_files().read(file(), 1 << 20), *bytes);
}

TEST_F(JournalTest, ATornJournalIsToldBeforeAnythingIsAsked) {
  {
    auto journal = open();
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(journal->add_task(specimen_task("task" + std::to_string(i))).ok());
    }
  }
  const auto size = fs::file_size(file());
  fs::resize_file(file(), size / 2);
  const auto opened = try_open();
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code(), Code::kInvalid);
  EXPECT_THAT(opened.error().message(), AllOf(HasSubstr("damaged"), HasSubstr(".recover")));
  EXPECT_THAT(opened.error().message(), Not(HasSubstr("\n")));
}

TEST_F(JournalTest, ATornLogOfTheLastCommitLosesThatCommitOnly) {
  killed_after([&](RunJournal& journal) {
    return journal.add_task(task_).ok() && journal.add_task(specimen_task("later")).ok();
  });
  const fs::path log = file().string() + "-wal";
  ASSERT_TRUE(fs::exists(log));
  fs::resize_file(log, fs::file_size(log) - 100);
  auto journal = open();
  EXPECT_TRUE(journal->task(task_.hash).ok());
  EXPECT_EQ(journal->task_hashes()->size(), 1U);
}

TEST_F(JournalTest, ShardsWithoutAJournalAreNotWrittenOver) {
  fs::create_directories(run_ / "shards");
  const auto opened = try_open();
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code(), Code::kInvalid);
}

TEST_F(JournalTest, AReadOnlyRunIsDenied) {
  open();
  ::chmod(run_.c_str(), 0555);
  ::chmod((run_ / "lock").c_str(), 0444);
  ::chmod(file().c_str(), 0444);
  ::chmod(folder_.path().c_str(), 0755);
  // Root may write anything; nobody may not.
  const bool root = ::geteuid() == 0;
  if (root) ASSERT_EQ(::seteuid(65534), 0);
  const auto opened = try_open();
  if (root) ASSERT_EQ(::seteuid(0), 0);
  ::chmod(run_.c_str(), 0755);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code(), Code::kDenied) << opened.error().message();
}

TEST_F(JournalTest, AFullDiskIsToldAndTheRunGoesOnWhenThereIsSpace) {
  // A file system of 256 KB in a mount namespace of a child.
  const pid_t child = ::fork();
  if (child == 0) {
    fs::create_directories(run_);
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", run_.c_str(), "tmpfs", 0, "size=256k") != 0) {
      ::_exit(77);
    }
    auto journal = open();
    Result<void> done = ok();
    int added = 0;
    while (done.ok() && added < 1000) {
      done = journal->add_task(specimen_task("t" + std::to_string(added)));
      if (done.ok()) ++added;
    }
    if (done.ok() || done.error().code() != Code::kFull) ::_exit(2);
    if (journal->task_hashes()->size() != static_cast<std::size_t>(added)) ::_exit(3);
    if (::mount("tmpfs", run_.c_str(), "tmpfs", MS_REMOUNT, "size=16m") != 0) ::_exit(77);
    if (!journal->add_task(specimen_task("more")).ok()) ::_exit(4);
    journal.reset();
    auto again = try_open();
    if (!again.ok() || (*again)->task_hashes()->size() != static_cast<std::size_t>(added) + 1) {
      ::_exit(5);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "a small file system cannot be mounted here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace kvgen
