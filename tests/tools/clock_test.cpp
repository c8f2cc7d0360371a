#include <gmock/gmock.h>

#include <sstream>

#include "kvgen/store/run_journal.h"
#include "kvgen/store/run_status.h"
#include "pace.h"
#include "progress.h"
#include "tests/support/fake_time.h"
#include "tests/support/specimens.h"
#include "tests/support/temp_folder.h"

namespace kvgen::tools {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

// Somebody sets the clock of the machine while a run goes on: a year on, and two back.
constexpr hours kJumps[] = {hours(0), hours(24 * 365), hours(-24 * 730)};

class ClockJumps : public ::testing::TestWithParam<hours> {
 protected:
  testing::FakeTime time_;
  testing::TempFolder folder_;
};

TEST_P(ClockJumps, ThePaceInStatusIsOfTheTimeThatPassed) {
  const fs::path run = folder_.path() / "RUN";
  auto journal = RunJournal::open({run, {}, true}, real_files(), time_);
  ASSERT_TRUE(journal.ok()) << journal.error().message();
  ASSERT_TRUE((*journal)->expect_sources(8).ok());
  const auto finish = [&](const std::string& name) {
    const Task task = testing::specimen_task(name);
    ASSERT_TRUE((*journal)->add_task(task).ok());
    ASSERT_TRUE((*journal)->finish_task(task.hash).ok());
  };
  finish("first");
  time_.jump(GetParam());
  time_.pass(minutes(2));
  finish("second");
  const auto status = read_status(real_files(), run);
  ASSERT_TRUE(status.ok()) << status.error().message();
  const auto pace = pace_now(*status, time_);
  ASSERT_TRUE(pace.has_value());
  EXPECT_DOUBLE_EQ(pace->a_second * 60, 1.0);
  EXPECT_DOUBLE_EQ(pace->left, 360.0);
}

TEST_P(ClockJumps, TheLinesOfALogTellThePaceOfTheTimeThatPassed) {
  std::ostringstream log;
  Progress progress(log, false, time_, 10);
  const Task task = testing::specimen_task();
  TaskResult done;
  done.name = task.name;
  done.hash = task.hash;
  progress.task_started(task);
  time_.jump(GetParam());
  time_.pass(minutes(1));
  progress.task_finished(done);
  progress.tick();
  EXPECT_THAT(log.str(), HasSubstr("1 a minute, about 9 min 0 s left"));
}

TEST(ProgressOfALog, CountsWhatAnEarlierProcessFinished) {
  testing::FakeTime time;
  std::ostringstream log;
  Progress progress(log, false, time, 10);
  progress.earlier(6);
  const Task task = testing::specimen_task();
  progress.task_started(task);
  time.pass(minutes(1));
  TaskResult done;
  done.hash = task.hash;
  progress.task_finished(done);
  progress.tick();
  EXPECT_THAT(log.str(), HasSubstr(" 7/10 tasks, 0 verified since the start"));
  EXPECT_THAT(log.str(), HasSubstr("about 3 min 0 s left"));
}

INSTANTIATE_TEST_SUITE_P(All, ClockJumps, ::testing::ValuesIn(kJumps));

TEST(Pace, IsOfThisProcessAlone) {
  testing::FakeTime time;
  const testing::TempFolder folder;
  const fs::path run = folder.path() / "RUN";
  for (int life = 0; life < 2; ++life) {
    auto journal = RunJournal::open({run, {}, true}, real_files(), time);
    ASSERT_TRUE(journal.ok()) << journal.error().message();
    EXPECT_EQ(pace_now(*read_status(real_files(), run), time), std::nullopt);
    for (int i = 0; i < 10; ++i) {
      const Task task = testing::specimen_task("task-" + std::to_string(10 * life + i));
      ASSERT_TRUE((*journal)->add_task(task).ok());
      ASSERT_TRUE((*journal)->finish_task(task.hash).ok());
    }
    time.pass(minutes(5));
    EXPECT_DOUBLE_EQ(pace_now(*read_status(real_files(), run), time)->a_second * 60, 2.0);
  }
  EXPECT_EQ(pace_now(*read_status(real_files(), run), time), std::nullopt) << "nobody works on it";
}

}  // namespace
}  // namespace kvgen::tools
