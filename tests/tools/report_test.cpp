#include "report.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>

#include "tests/support/specimens.h"

namespace kvgen::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string name_of(int number) {
  char text[32];
  std::snprintf(text, sizeof text, "task-%05d", number);
  return text;
}

TaskResult result_of(int number, OutcomeKind kind) {
  const Task task = testing::specimen_task(name_of(number));
  TaskResult result;
  result.name = task.name;
  result.hash = task.hash;
  result.attempts.push_back(testing::specimen_attempt(task, 0, kind));
  lighten(result);
  return result;
}

// 600 tasks: each third verified, the 300th the fastest; the 11th could not be finished.
std::vector<TaskResult> many() {
  std::vector<TaskResult> results;
  for (int i = 0; i < 600; ++i) {
    results.push_back(
        result_of(i, i % 3 == 0 ? OutcomeKind::kVerified : OutcomeKind::kCompileError));
    auto& profile = results.back().attempts.front().profile;
    if (profile) profile->speedup = i == 300 ? 40.0 : 1.0 + i / 1000.0;
  }
  results[11].error = Error(Code::kInternal, "the referee was lost");
  return results;
}

TEST(ResultsTable, OfFewTasksEachHasARow) {
  const std::vector<TaskResult> results = {result_of(1, OutcomeKind::kVerified),
                                           result_of(2, OutcomeKind::kWrongOutput)};
  const std::string table = results_table(results, "RUN");
  EXPECT_THAT(table, HasSubstr("task-00001"));
  EXPECT_THAT(table, HasSubstr("task-00002"));
  EXPECT_THAT(table, Not(HasSubstr("more")));
}

TEST(ResultsTable, OfManyTasksItIsAPage) {
  const std::string table = results_table(many(), "RUN");
  EXPECT_LE(std::count(table.begin(), table.end(), '\n'), 60);
  EXPECT_THAT(table, HasSubstr("compile_error            399\n"));
  EXPECT_THAT(table, HasSubstr("verified                 200\n"));
  EXPECT_THAT(table, HasSubstr("tasks more: the same command with --json, or RUN/shards"));
}

TEST(ResultsTable, OfManyTasksItShowsTheFastestTheUnfinishedAndAnExampleOfEachFault) {
  const std::string table = results_table(many(), "RUN");
  EXPECT_LT(table.find("task-00300"), table.find("task-00597"));
  EXPECT_THAT(table, HasSubstr("the referee was lost"));
  EXPECT_THAT(table, HasSubstr("task-00001"));
}

}  // namespace
}  // namespace kvgen::tools
