#include "kvgen/ingest/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kvgen/ingest/captured.h"
#include "tests/ingest/ingest_files.h"
#include "tests/support/faulty_files.h"

namespace kvgen {
namespace {

using ::testing::HasSubstr;

Task a_task() {
  const Source source{Source::Kind::kModule, "linear_relu.py", "linear_relu"};
  const Json reply = parse_json(text_of(kReplies / "linear_relu.json")).value();
  return task_from_capture(reply, source, "import torch\n").value();
}

TEST(Bundle, ComesBackAsItWasWritten) {
  const TempFolder folder;
  Task task = a_task();
  task.marks = {"ignores: x"};
  const auto written = write_bundle(real_files(), folder.path(), task);
  ASSERT_TRUE(written.ok()) << written.error().message();
  EXPECT_EQ(*written, folder.path() / "linear_relu");
  EXPECT_EQ(text_of(*written / "source.py"), "import torch\n");
  for (const fs::path& path : {*written, *written / "task.json"}) {
    const auto back = read_bundle(real_files(), path);
    ASSERT_TRUE(back.ok()) << back.error().message();
    EXPECT_EQ(to_json(*back), to_json(task));
  }
}

TEST(Bundle, WrittenAgainIsTheSameBytes) {
  const TempFolder folder;
  const fs::path first = write_bundle(real_files(), folder.path() / "a", a_task()).value();
  const Task back = read_bundle(real_files(), first).value();
  const fs::path second = write_bundle(real_files(), folder.path() / "b", back).value();
  EXPECT_EQ(text_of(first / "task.json"), text_of(second / "task.json"));
}

TEST(Bundle, TornAtAnyPlaceIsAnErrorThatNamesIt) {
  const TempFolder folder;
  const fs::path file = write_bundle(real_files(), folder.path(), a_task()).value() / "task.json";
  const std::string whole = text_of(file);
  for (std::size_t length = 0; length + 1 < whole.size(); length += 97) {
    std::ofstream(file) << whole.substr(0, length);
    const auto torn = read_bundle(real_files(), file);
    ASSERT_FALSE(torn.ok()) << length;
    EXPECT_EQ(torn.error().code(), Code::kInvalid);
    EXPECT_THAT(torn.error().message(), HasSubstr(file.string() + " is torn or was edited"));
    EXPECT_THAT(torn.error().message(), HasSubstr("ingest the source again"));
  }
}

TEST(Bundle, AnotherSourceBesideItIsNoticed) {
  const TempFolder folder;
  const fs::path bundle = write_bundle(real_files(), folder.path(), a_task()).value();
  std::ofstream(bundle / "source.py") << "import torch  # edited\n";
  const auto edited = read_bundle(real_files(), bundle);
  ASSERT_FALSE(edited.ok());
  EXPECT_THAT(edited.error().message(), HasSubstr("source.py is not the text"));
  fs::remove(bundle / "source.py");
  EXPECT_TRUE(read_bundle(real_files(), bundle).ok());
}

TEST(Bundle, AnyEditIsNoticed) {
  const TempFolder folder;
  const fs::path file = write_bundle(real_files(), folder.path(), a_task()).value() / "task.json";
  const Json whole = parse_json(text_of(file)).value();
  const std::vector<std::pair<const char*, Json>> edits = {
      {"/source", "import os\n"},
      {"/name", "other"},
      {"/hash", std::string(64, '0')},
      {"/structural_hash", std::string(64, '0')},
      {"/variants/0/graph/nodes/0/meta/0/shape/0", 7},
      {"/variants/1/inputs/nodes/0/op", "aten::zeros"},
      {"/schema", 99},
      {"/surprise", true}};
  for (const auto& [path, value] : edits) {
    Json edited = whole;
    edited[Json::json_pointer(path)] = value;
    std::ofstream(file) << edited.dump();
    const auto task = read_bundle(real_files(), file);
    ASSERT_FALSE(task.ok()) << path;
    EXPECT_THAT(task.error().message(), HasSubstr(file.string())) << path;
  }
}

TEST(Bundle, AFullDiskLeavesNoBundleBehind) {
  const TempFolder folder;
  for (int room = 0; room < 2; ++room) {
    testing::FaultyFiles disk;
    disk.fail_writes_from(room + 1, ENOSPC);
    const auto written = write_bundle(disk, folder.path(), a_task());
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().code(), Code::kFull);
    EXPECT_FALSE(read_bundle(real_files(), folder.path() / "linear_relu").ok());
  }
  EXPECT_TRUE(write_bundle(real_files(), folder.path(), a_task()).ok());
  testing::FaultyFiles full;
  full.fail_writes_from(1, ENOSPC);
  EXPECT_TRUE(write_bundle(full, folder.path(), a_task()).ok()) << "nothing is left to write";
}

TEST(Bundle, ATornOneIsWrittenAnew) {
  const TempFolder folder;
  const fs::path file = write_bundle(real_files(), folder.path(), a_task()).value() / "task.json";
  std::ofstream(file) << "{";
  ASSERT_TRUE(write_bundle(real_files(), folder.path(), a_task()).ok());
  EXPECT_TRUE(read_bundle(real_files(), file).ok());
}

TEST(Bundle, AMissingOneIsNotFound) {
  const TempFolder folder;
  const auto missing = read_bundle(real_files(), folder.path() / "nothing");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code(), Code::kNotFound);
}

}  // namespace
}  // namespace kvgen
