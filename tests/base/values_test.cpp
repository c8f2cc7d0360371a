#include <gmock/gmock.h>
#include <unistd.h>

#include "kvgen/base/clock.h"
#include "kvgen/base/fd.h"
#include "kvgen/base/files.h"
#include "kvgen/base/hash.h"
#include "kvgen/base/log.h"
#include "kvgen/base/number.h"
#include "kvgen/base/result.h"
#include "tests/support/temp_folder.h"

namespace kvgen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Hash, IsSha256) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(short_id(sha256("abc")), "ba7816bf8f01cfea");
}

TEST(Hash, OfJsonDoesNotDependOnTheOrderOfKeys) {
  EXPECT_EQ(sha256_of(Json::parse(R"({"a":1,"b":[2]})")),
            sha256_of(Json::parse(R"({ "b": [2], "a": 1 })")));
  EXPECT_NE(sha256_of({{"a", 1}}), sha256_of({{"a", 1.0}}));
}

TEST(Seed, IsTheSameForTheSameTextForEver) {
  EXPECT_EQ(seed_from("abc"), 0xba7816bf8f01cfeaU);
  EXPECT_NE(seed_from("abc"), seed_from("abd"));
}

TEST(Clock, WritesUtc) {
  EXPECT_EQ(utc_text(std::chrono::system_clock::from_time_t(1'796'063'565)),
            "2026-11-30T18:32:45Z");
}

struct IntegerCase {
  std::string_view text;
  int base;
  std::optional<std::int64_t> value;
};

TEST(LeadingInteger, IsReadOrThereIsNone) {
  const IntegerCase cases[] = {
      {"5.2.3", 10, 5}, {" \t 42 kB", 10, 42}, {"-7", 10, -7},
      {"ff", 16, 255},  {"", 10, {}},          {"   ", 10, {}},
      {"x1", 10, {}},   {"+1", 10, {}},        {"9223372036854775808", 10, {}},
  };
  for (const IntegerCase& c : cases) EXPECT_EQ(leading_integer(c.text, c.base), c.value) << c.text;
}

Result<int> half(int value) {
  if (value % 2 != 0) return Error(Code::kInvalid, std::to_string(value) + " is odd");
  return value / 2;
}

Result<int> quarter(int value) {
  TRY(const int once, half(value));
  TRY(const int twice, half(once));
  return twice;
}

Result<void> all_even(std::initializer_list<int> values) {
  for (const int value : values) TRY_VOID(half(value));
  return ok();
}

TEST(ResultTest, TryPassesValuesAndErrorsOn) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().message(), "3 is odd");
  EXPECT_TRUE(all_even({2, 4}).ok());
  EXPECT_EQ(all_even({2, 5}).error().code(), Code::kInvalid);
}

TEST(ErrorTest, KeepsItsKindWhenContextIsAdded) {
  Error error(Code::kFull, "no space");
  error.set_retryable().prepend("RUN");
  EXPECT_EQ(error.message(), "RUN: no space");
  EXPECT_EQ(error.code(), Code::kFull);
  EXPECT_TRUE(error.retryable());
}

TEST(UniqueFdTest, ClosesOnceAndOnlyWhatItOwns) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  {
    UniqueFd first(ends[0]);
    UniqueFd second = std::move(first);
    EXPECT_FALSE(first.valid());
    EXPECT_EQ(second.get(), ends[0]);
    second = UniqueFd(ends[1]);
    EXPECT_EQ(::close(ends[0]), -1) << "the first end was closed";
    EXPECT_EQ(second.release(), ends[1]);
  }
  EXPECT_EQ(::close(ends[1]), 0) << "released";
}

TEST(LogTest, WritesLinesOfItsLevelAndAbove) {
  const testing::TempFolder folder;
  const fs::path path = folder.path() / "log";
  {
    const auto log = file_log(path.string(), Log::Level::kInfo);
    ASSERT_NE(log, nullptr);
    log->info("100 % {} done");
    log->debug("quiet");
  }
  const auto text = real_files().read(path, 10'000);
  EXPECT_THAT(*text, HasSubstr("info 100 % {} done"));
  EXPECT_THAT(*text, Not(HasSubstr("quiet")));
  EXPECT_EQ(file_log("/nowhere/at/all/log\0", Log::Level::kInfo) == nullptr,
            !fs::exists("/nowhere/at/all"));
}

}  // namespace
}  // namespace kvgen
