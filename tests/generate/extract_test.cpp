#include "kvgen/generate/extract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

namespace kvgen {
namespace {

Reply reply_of(std::string text) { return {std::move(text), Json::object()}; }

std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\\n") : std::string(1, c);
  return out;
}

std::string seen_in(const std::string& text) {
  const Extracted extracted = extract(reply_of(text));
  EXPECT_NE(extracted.candidate.has_value(), extracted.outcome.has_value());
  if (extracted.outcome) {
    EXPECT_EQ(extracted.outcome->stage, Stage::kExtract);
    return std::string(to_string(extracted.outcome->kind)) + ": " + extracted.outcome->reason;
  }
  const Candidate& candidate = *extracted.candidate;
  EXPECT_EQ(candidate.hash, candidate_hash(candidate.source, candidate.plan_text));
  return "candidate: " + one_line(candidate.source) + " | " + one_line(candidate.plan_text);
}

// "==== NAME => WHAT IS SEEN", then the reply.
TEST(Extract, FindsWhatTheTableSays) {
  std::ifstream file(std::string(KVGEN_SOURCE_DIR) + "/tests/generate/cases/replies.txt");
  ASSERT_TRUE(file.is_open());
  std::string heading;
  std::string text;
  int count = 0;
  const auto check = [&] {
    if (heading.empty()) return;
    const auto arrow = heading.find(" => ");
    EXPECT_EQ(seen_in(text), heading.substr(arrow + 4)) << heading.substr(5, arrow - 5);
    ++count;
  };
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("==== ", 0) == 0) {
      check();
      heading = line;
      text.clear();
    } else {
      text += line + "\n";
    }
  }
  check();
  EXPECT_GE(count, 20);
}

const std::string kPlan = "```json\n{\"plan\": 1}\n```\n";

TEST(Extract, ReadsLineEndsOfWindowsAndAMissingLastOne) {
  EXPECT_EQ(seen_in("```hip\r\n__global__ void k() {}\r\n```\r\n```json\r\n{\"plan\": 1}\r\n```"),
            "candidate: __global__ void k() {}\\n | {\"plan\": 1}\\n");
}

TEST(Extract, RefusesWhatNoRecordCouldHold) {
  EXPECT_THAT(seen_in("```hip\n__global__ \xc3\x28\n```\n" + kPlan),
              testing::EndsWith("the hip block is not UTF-8"));
  EXPECT_THAT(seen_in("```hip\n__global__ \xed\xa0\x80\n```\n" + kPlan),
              testing::EndsWith("the hip block is not UTF-8"));
  EXPECT_THAT(seen_in(std::string("```hip\n__global__ \0\n```\n", 24) + kPlan),
              testing::EndsWith("the hip block holds a NUL character"));
  EXPECT_THAT(seen_in("```hip\n// é 漢 😀\n__global__ void k();\n```\n" + kPlan),
              testing::StartsWith("candidate: "));
}

TEST(Extract, BoundsWhatItReads) {
  EXPECT_THAT(seen_in(std::string(50 << 20, 'x')),
              testing::StartsWith("no_candidate: larger than the limit"));
  const std::string large(kLargestBlock, 'x');
  EXPECT_THAT(seen_in("```hip\n" + large + "\n```\n" + kPlan),
              testing::StartsWith("no_candidate: the hip block is larger than the limit"));
}

TEST(Extract, TakesLinearTime) {
  const auto seconds_for = [](const std::string& text) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(extract(reply_of(text)).candidate.has_value());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (const char* piece : {"```\n", "```hip\n__global__\n", "~~~~\n```\n", "` ", "\n", "    "}) {
    std::string text;
    while (text.size() < kLargestReply - 64) text += piece;
    EXPECT_LT(seconds_for(text), 10) << piece;
  }
}

}  // namespace
}  // namespace kvgen
