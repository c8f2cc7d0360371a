#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kvgen/base/json.h"
#include "kvgen/ingest/captured.h"
#include "kvgen/ingest/source.h"
#include "tests/ingest/ingest_files.h"

namespace kvgen {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Source> rows_of(const std::string& content, const SourceOptions& options = {}) {
  const TempFolder folder;
  auto found = find_sources(real_files(), {put(folder, "rows.jsonl", content)}, options);
  EXPECT_TRUE(found.ok()) << found.error().message();
  return found.ok() ? *found : std::vector<Source>();
}

std::string fault_of(const std::string& row) {
  const auto rows = rows_of(row + "\n{\"code\": \"import torch\"}\n");
  if (rows.size() != 2) return "found " + std::to_string(rows.size()) + " rows";
  EXPECT_THAT(rows[1].fault, IsEmpty()) << "a bad row cost its neighbour";
  const auto read = read_module(real_files(), rows[0]);
  return read.ok() ? "" : read.error().message();
}

TEST(Rows, AreModulesNamedByTheirColumnOrTheirLine) {
  const std::string content =
      "{\"code\": \"import torch\\n\", \"title\": \"Soft max\"}\r\n\n"
      "{\"title\": \"relu.py\", \"code\": \"# \xc3\xa9\"}";
  const auto by_line = rows_of(content);
  ASSERT_EQ(by_line.size(), 2);
  EXPECT_EQ(by_line[0].name, "rows_1");
  EXPECT_EQ(by_line[1].name, "rows_3");
  EXPECT_EQ(read_module(real_files(), by_line[0]).value(), "import torch\n");
  EXPECT_THAT(by_line[1].where(), EndsWith("rows.jsonl:3"));

  const auto by_column = rows_of(content, {.column = "code", .name_column = "title"});
  EXPECT_EQ(by_column[0].name, "Soft_max");
  EXPECT_EQ(by_column[1].name, "relu");
  EXPECT_EQ(by_column[1].file(), "relu.py");
}

TEST(Rows, OfOneNameAreMadeDistinct) {
  std::vector<std::string> names;
  for (const Source& row : rows_of("{\"code\":\"1\",\"n\":\"a\"}\n{\"code\":\"2\",\"n\":\"a\"}\n"
                                   "{\"code\":\"3\",\"n\":\"a_2\"}\n",
                                   {.column = "code", .name_column = "n"})) {
    names.push_back(row.name);
  }
  EXPECT_THAT(names, ElementsAre("a", "a_2", "a_2_2"));
}

TEST(Rows, CarryLicenceAndOriginIntoTheTask) {
  const auto rows = rows_of(
      "{\"code\":\"x\",\"licence\":\"Apache-2.0\",\"url\":\"https://example.org/a\"}\n"
      "{\"code\":\"x\",\"license\":\"\",\"source\":\"a book\",\"origin\":null}\n"
      "{\"code\":\"x\",\"license\":[\"MIT\"]}\n",
      {.license = "MIT", .origin = "mine"});
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[0].license + " " + rows[0].origin, "Apache-2.0 https://example.org/a");
  EXPECT_EQ(rows[1].license + " " + rows[1].origin, "MIT a book");
  EXPECT_EQ(rows[2].license + " " + rows[2].origin, "MIT mine");

  const Json reply = parse_json(text_of(kReplies / "linear_relu.json")).value();
  const auto task = task_from_capture(reply, rows[0], "x");
  ASSERT_TRUE(task.ok()) << task.error().message();
  EXPECT_EQ(task->origin, "https://example.org/a");
  const auto other = task_from_capture(reply, rows[1], "x");
  EXPECT_NE(task->hash, other->hash);
}

TEST(Rows, WhoseModulesStandInAColumnThatAlsoMeansOriginHaveNoOrigin) {
  const auto rows = rows_of("{\"source\": \"import torch\"}", {.column = "source"});
  EXPECT_EQ(rows[0].text, "import torch");
  EXPECT_EQ(rows[0].origin, "");
}

TEST(Rows, ABadOneCostsOnlyItselfAndIsNamed) {
  EXPECT_THAT(fault_of("{\"code\": "), HasSubstr("rows.jsonl:1: is not a row of JSON"));
  EXPECT_THAT(fault_of("[1]"), HasSubstr("rows.jsonl:1: is not a JSON object"));
  EXPECT_THAT(fault_of("{\"body\": \"x\", \"id\": 1}"),
              AllOf(HasSubstr("no text in the column \"code\""), HasSubstr("body, id"),
                    HasSubstr("--column")));
  EXPECT_THAT(fault_of("{\"code\": 7}"), HasSubstr("no text in the column \"code\""));
  EXPECT_THAT(fault_of("{\"code\": \"\xe9\"}"), HasSubstr("rows.jsonl:1: is not a row of JSON"));
  EXPECT_THAT(fault_of(std::string(1000, '[')), HasSubstr("rows.jsonl:1: is not a row of JSON"));
  EXPECT_THAT(fault_of("{\"code\": \"" + std::string(kModuleBytesLimit + 1, '#') + "\"}"),
              HasSubstr("more than 1 MB"));
  EXPECT_THAT(fault_of("{\"code\": \"x\", \"more\": \"" + std::string(9UL << 20U, 'x') + "\"}"),
              HasSubstr("rows.jsonl:1: is not a row of JSON"));
}

TEST(Rows, AFileOfNoneIsAnError) {
  const TempFolder folder;
  const auto found = find_sources(real_files(), {put(folder, "rows.jsonl", "\n \r\n")});
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message(), HasSubstr("rows.jsonl holds no row"));
  EXPECT_EQ(find_sources(real_files(), {folder.path() / "none.jsonl"}).error().code(),
            Code::kNotFound);
}

}  // namespace
}  // namespace kvgen
