#include "kvgen/store/shards.h"

#include <gmock/gmock.h>
#include <zstd.h>

#include <cerrno>
#include <map>
#include <set>

#include "kvgen/base/hash.h"
#include "kvgen/store/corpus.h"
#include "tests/support/faulty_files.h"
#include "tests/support/json_schema.h"
#include "tests/support/specimens.h"
#include "tests/support/temp_folder.h"

namespace kvgen {
namespace {

using testing::FaultyFiles;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::specimen_attempt;
using testing::specimen_task;
using testing::TempFolder;

constexpr OutcomeKind kTurns[] = {OutcomeKind::kBadPlan, OutcomeKind::kCompileError,
                                  OutcomeKind::kWrongOutput, OutcomeKind::kVerified};

class ShardsTest : public ::testing::Test {
 protected:
  std::unique_ptr<RunJournal> open(const std::string& run) {
    auto journal =
        RunJournal::open({folder_.path() / run, Json::object(), false}, real_files(), real_clock());
    EXPECT_TRUE(journal.ok()) << journal.error().message();
    return std::move(*journal);
  }

  // Two tasks, added in the order given; times differ by `median`.
  std::unique_ptr<RunJournal> a_run(const std::string& run, std::vector<std::string> names,
                                    double median = 100) {
    auto journal = open(run);
    for (const std::string& name : names) {
      const Task task = specimen_task(name);
      EXPECT_TRUE(journal->add_task(task).ok());
      std::string parent;
      for (int turn = 0; turn < 4; ++turn) {
        Attempt attempt = specimen_attempt(task, turn, kTurns[turn]);
        attempt.parent = parent;
        parent = attempt.id();
        if (attempt.profile) attempt.profile->candidate.median = median;
        EXPECT_TRUE(journal->begin_attempt(task.hash, turn).ok());
        EXPECT_TRUE(journal->keep_reply(task.hash, turn, *attempt.reply).ok());
        EXPECT_TRUE(journal->finish_attempt(attempt).ok());
      }
      EXPECT_TRUE(journal->begin_attempt(task.hash, 4).ok()) << "in flight: not in the shards";
    }
    const Task refused = specimen_task("zz_refused");
    EXPECT_TRUE(journal->add_task(refused).ok());
    EXPECT_TRUE(journal->refuse_task(refused.hash, "degenerate: zeros").ok());
    EXPECT_TRUE(journal->add_rejected_source("bad.py", "line 3: a syntax error").ok());
    return journal;
  }

  std::map<std::string, std::string> bytes_of(const std::string& run) {
    std::map<std::string, std::string> bytes;
    const fs::path shards = folder_.path() / run / "shards";
    const auto names = real_files().list(shards);
    for (const std::string& name : *names) {
      bytes[name] = *real_files().read(shards / name, 1 << 24);
    }
    return bytes;
  }

  std::vector<Json> records(const std::string& run, const std::string& file) {
    auto read = read_shard(real_files(), folder_.path() / run / "shards" / file);
    EXPECT_TRUE(read.ok()) << read.error().message();
    return read.ok() ? *read : std::vector<Json>();
  }

  fs::path put(const std::string& name, const std::string& bytes) {
    const fs::path path = folder_.path() / name;
    EXPECT_TRUE(real_files().write_atomically(path, bytes).ok());
    return path;
  }

  TempFolder folder_;
};

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST_F(ShardsTest, EveryLineFitsItsSchema) {
  auto journal = a_run("RUN", {"softmax", "matmul"});
  const auto written = write_shards(*journal, real_files());
  ASSERT_TRUE(written.ok()) << written.error().message();
  std::set<std::string> kinds;
  for (const ShardEntry& shard : *written) {
    const auto text = real_files().read(
        fs::path(KVGEN_SOURCE_DIR) / "configs/schema" / (shard.kind + ".schema.json"), 1 << 20);
    ASSERT_TRUE(text.ok()) << text.error().message();
    const Json schema = Json::parse(*text);
    const auto lines = records("RUN", shard.file);
    EXPECT_EQ(static_cast<std::int64_t>(lines.size()), shard.records);
    EXPECT_GT(shard.records, 0) << shard.file;
    for (const Json& line : lines) {
      EXPECT_THAT(testing::faults_against(schema, line), IsEmpty()) << line.dump(1);
      Json stranger = line;
      stranger["unknown"] = 1;
      EXPECT_EQ(testing::faults_against(schema, stranger).size(), 1U);
    }
    kinds.insert(shard.kind);
  }
  EXPECT_EQ(kinds.size(), 7U);
}

TEST_F(ShardsTest, WhatWasRefusedOrCouldNotBeUsedIsInTheShards) {
  auto journal = a_run("RUN", {"softmax"});
  ASSERT_TRUE(write_shards(*journal, real_files()).ok());
  const auto refusals = records("RUN", "refusals-00000.jsonl.zst");
  ASSERT_EQ(refusals.size(), 2U);
  EXPECT_EQ(refusals[0].at("task"), Json(specimen_task("zz_refused").hash));
  EXPECT_EQ(refusals[0].at("reason"), Json("degenerate: zeros"));
  EXPECT_EQ(refusals[1].at("source"), Json("bad.py"));
  EXPECT_EQ(refusals[1].at("reason"), Json("line 3: a syntax error"));
}

TEST_F(ShardsTest, AnAttemptComesBackFromShardsAsFromTheJournal) {
  auto journal = a_run("RUN", {"softmax", "matmul"});
  ASSERT_TRUE(write_shards(*journal, real_files()).ok());
  const auto all = journal->finished_attempts(specimen_task("softmax").hash);
  const fs::path run = folder_.path() / "RUN";
  const auto from_journal = Corpus::open(real_files(), real_clock(), run);
  ASSERT_TRUE(from_journal.ok()) << from_journal.error().message();
  for (const fs::path& place : {run / "shards", run / "shards" / "samples-00000.jsonl.zst"}) {
    const auto from_shards = Corpus::open(real_files(), real_clock(), place);
    ASSERT_TRUE(from_shards.ok()) << from_shards.error().message();
    for (const Attempt& attempt : *all) {
      const auto one = (*from_shards)->attempt(attempt.id().substr(0, 20));
      ASSERT_TRUE(one.ok()) << one.error().message();
      EXPECT_EQ(to_json(one->attempt), to_json(attempt));
      EXPECT_EQ(one->task.hash, specimen_task("softmax").hash);
      const auto other = (*from_journal)->attempt(attempt.id().substr(0, 20));
      ASSERT_TRUE(other.ok()) << other.error().message();
      EXPECT_EQ(to_json(other->attempt), to_json(attempt));
      EXPECT_EQ(other->sample, one->sample);
    }
    const Json sample = records("RUN", "samples-00000.jsonl.zst")[0];
    const auto by_sample = (*from_shards)->attempt(sample.at("id").get<std::string>());
    ASSERT_TRUE(by_sample.ok()) << by_sample.error().message();
    EXPECT_EQ(Json(by_sample->id), sample.at("attempt"));
    EXPECT_EQ((*from_shards)->attempt("0000000000").error().code(), Code::kNotFound);
    EXPECT_EQ((*from_shards)->attempt("softmax").error().code(), Code::kUsage);
    EXPECT_TRUE((*from_shards)->task("softmax").ok());
  }
  EXPECT_EQ(Corpus::open(real_files(), real_clock(), folder_.path()).error().code(),
            Code::kNotFound);
}

TEST_F(ShardsTest, RecordsAreJoinedByIdsThatExist) {
  auto journal = a_run("RUN", {"softmax", "matmul"});
  ASSERT_TRUE(write_shards(*journal, real_files()).ok());
  std::map<std::string, std::set<std::string>> ids;
  for (const char* kind : {"task", "attempt", "build", "verdict", "profile", "sample"}) {
    for (const Json& line : records("RUN", std::string(kind) + "s-00000.jsonl.zst")) {
      EXPECT_TRUE(ids[kind].insert(line.at("id")).second) << "twice: " << line.at("id");
    }
  }
  const auto samples = records("RUN", "samples-00000.jsonl.zst");
  ASSERT_EQ(samples.size(), 2U) << "one verified attempt a task";
  for (const Json& sample : samples) {
    EXPECT_TRUE(ids["task"].contains(sample.at("task")));
    EXPECT_TRUE(ids["attempt"].contains(sample.at("attempt")));
    EXPECT_TRUE(ids["verdict"].contains(sample.at("verdict")));
    for (const Json& id : sample.at("builds")) EXPECT_TRUE(ids["build"].contains(id));
    for (const Json& id : sample.at("profiles")) EXPECT_TRUE(ids["profile"].contains(id));
  }
  const auto attempts = records("RUN", "attempts-00000.jsonl.zst");
  ASSERT_EQ(attempts.size(), 8U);
  EXPECT_EQ(attempts[0].at("parent"), nullptr);
  EXPECT_EQ(attempts[1].at("parent"), attempts[0].at("id"));
  EXPECT_EQ(attempts[0].at("task"), specimen_task("matmul").hash) << "by name, not by arrival";
}

TEST_F(ShardsTest, TheSameJournalGivesTheSameBytes) {
  auto journal = a_run("RUN", {"softmax", "matmul"});
  ASSERT_TRUE(write_shards(*journal, real_files()).ok());
  const auto first = bytes_of("RUN");
  EXPECT_EQ(first.size(), 8U) << "seven kinds and the manifest";
  ASSERT_TRUE(write_shards(*journal, real_files()).ok());
  EXPECT_EQ(bytes_of("RUN"), first);
}

TEST_F(ShardsTest, EqualRunsDifferInProfilesOnly) {
  auto one = a_run("ONE", {"softmax", "matmul"}, 100);
  auto two = a_run("TWO", {"matmul", "softmax"}, 107);
  ASSERT_TRUE(write_shards(*one, real_files()).ok());
  ASSERT_TRUE(write_shards(*two, real_files()).ok());
  const auto left = bytes_of("ONE");
  const auto right = bytes_of("TWO");
  for (const auto& [name, bytes] : left) {
    const bool times = name == "profiles-00000.jsonl.zst" || name == "manifest.json";
    EXPECT_EQ(bytes != right.at(name), times) << name;
  }
  EXPECT_EQ(records("ONE", "profiles-00000.jsonl.zst")[0].at("id"),
            records("TWO", "profiles-00000.jsonl.zst")[0].at("id"));
}

TEST_F(ShardsTest, LargeKindsAreSplitAndStalePartsRemoved) {
  auto journal = a_run("RUN", {"softmax", "matmul"});
  const auto split = write_shards(*journal, real_files(), {.split_bytes = 3000});
  ASSERT_TRUE(split.ok());
  std::int64_t attempts = 0;
  int parts = 0;
  for (const ShardEntry& shard : *split) {
    if (shard.kind != "attempt") continue;
    attempts += shard.records;
    ++parts;
  }
  EXPECT_GT(parts, 1);
  EXPECT_EQ(attempts, 8);
  put("RUN/shards/attempts-00000.jsonl.zst.tmp123", "left by a kill");
  ASSERT_TRUE(write_shards(*journal, real_files()).ok());
  EXPECT_EQ(bytes_of("RUN").size(), 8U);
}

TEST_F(ShardsTest, TheManifestAndTheJournalKnowEveryFile) {
  auto journal = a_run("RUN", {"softmax"});
  const auto written = write_shards(*journal, real_files());
  ASSERT_TRUE(written.ok());
  const auto bytes = bytes_of("RUN");
  const Json manifest = Json::parse(bytes.at("manifest.json"));
  ASSERT_EQ(manifest.at("shards").size(), 7U);
  for (const Json& shard : manifest.at("shards")) {
    const std::string& content = bytes.at(shard.at("file"));
    EXPECT_EQ(shard.at("sha256"), sha256(content));
    EXPECT_EQ(shard.at("bytes"), content.size());
  }
  const auto registered = journal->shards();
  ASSERT_TRUE(registered.ok());
  EXPECT_EQ(registered->size(), written->size());
  EXPECT_EQ(registered->front().file, "attempts-00000.jsonl.zst");
}

TEST_F(ShardsTest, AnEmptyRunHasEmptyShards) {
  auto journal = open("RUN");
  const auto written = write_shards(*journal, real_files());
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(written->size(), 7U);
  EXPECT_TRUE(records("RUN", "samples-00000.jsonl.zst").empty());
}

TEST_F(ShardsTest, AFullDiskLeavesWhatWasThereAndCanBeTriedAgain) {
  auto journal = a_run("RUN", {"softmax"});
  ASSERT_TRUE(write_shards(*journal, real_files()).ok());
  const auto before = bytes_of("RUN");
  for (int n = 1; n <= 7; ++n) {
    FaultyFiles files;
    files.fail_writes_from(n, ENOSPC);
    const auto failed = write_shards(*journal, files);
    ASSERT_FALSE(failed.ok()) << n;
    EXPECT_EQ(failed.error().code(), Code::kFull);
    EXPECT_EQ(bytes_of("RUN"), before);
  }
}

TEST_F(ShardsTest, DamagedShardsAreTold) {
  const std::string good = zstd("{\"a\":1}\n{\"b\":2}\n");
  std::string flipped = good;
  flipped[0] ^= 1;
  struct Row {
    const char* name;
    std::string bytes;
    const char* says;
  };
  const Row rows[] = {
      {"torn", good.substr(0, good.size() - 3), "torn"},
      {"empty file", "", "torn"},
      {"not zstd", flipped, "damaged"},
      {"garbage behind", good + "x", "damaged"},
      {"torn line", zstd("{\"a\":1}\n{\"b\":"), "ends inside a record"},
      {"bad line", zstd("{\"a\":1}\nnope\n"), "line 2"},
      {"duplicate key", zstd("{\"a\":1,\"a\":2}\n"), "stands twice"},
      {"bomb", zstd(std::string(2 << 20, '\n')), "more than the limit"},
      {"long line", zstd("{\"a\":\"" + std::string(5000, 'x') + "\"}\n"), "limit is 4096"},
  };
  for (const Row& row : rows) {
    const auto read = read_shard(real_files(), put("x.jsonl.zst", row.bytes),
                                 {.text_bytes = 1 << 20, .record_bytes = 4096});
    ASSERT_FALSE(read.ok()) << row.name;
    EXPECT_EQ(read.error().code(), Code::kInvalid) << row.name;
    EXPECT_THAT(read.error().message(), HasSubstr(row.says)) << row.name;
    EXPECT_THAT(read.error().message(), HasSubstr("x.jsonl.zst")) << row.name;
  }
  EXPECT_EQ(read_shard(real_files(), put("y", good))->size(), 2U);
}

TEST_F(ShardsTest, AVerifiedAttemptWithoutAVerdictIsOurFault) {
  auto journal = open("RUN");
  const Task task = specimen_task();
  Attempt attempt = specimen_attempt(task, 0, OutcomeKind::kVerified);
  attempt.verdict.reset();
  ASSERT_TRUE(journal->add_task(task).ok());
  ASSERT_TRUE(journal->begin_attempt(task.hash, 0).ok());
  ASSERT_TRUE(journal->keep_reply(task.hash, 0, *attempt.reply).ok());
  ASSERT_TRUE(journal->finish_attempt(attempt).ok());
  EXPECT_EQ(write_shards(*journal, real_files()).error().code(), Code::kInternal);
}

}  // namespace
}  // namespace kvgen
