#include "kvgen/ingest/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ingest/ingest_files.h"

namespace kvgen {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names_of(const std::vector<Source>& sources) {
  std::vector<std::string> names;
  for (const Source& source : sources) {
    names.push_back((source.kind == Source::Kind::kBundle ? "bundle " : "module ") + source.name);
  }
  return names;
}

TEST(FindSources, TakesModulesAndBundlesOneLevelDeepInOrder) {
  const TempFolder folder;
  for (const char* file :
       {"b.py", "a.py", "__init__.py", ".hidden.py", "notes.txt", "level1/c.py", "level1/deep/d.py",
        "ready/task.json", "ready/source.py", ".git/x.py", "__pycache__/a.py"}) {
    put(folder, file, "");
  }
  const auto found = find_sources(real_files(), {folder.path()});
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_THAT(names_of(*found), ElementsAre("module a", "module b", "module c", "bundle ready"));
}

TEST(FindSources, TakesPathsOfEachKindOnce) {
  const TempFolder folder;
  const fs::path module = put(folder, "m.py", "");
  const fs::path bundle = put(folder, "ready/task.json", "");
  const auto found = find_sources(
      real_files(), {module, bundle, bundle.parent_path(), module, folder.path() / "." / "m.py"});
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_THAT(names_of(*found), ElementsAre("module m", "bundle ready"));
}

TEST(FindSources, MakesNamesUniqueAndFitForFolders) {
  const TempFolder folder;
  for (const char* file :
       {"one/softmax.py", "two/softmax.py", "two/1 & 2.py", "two/-x.py", "three/softmax_2.py"}) {
    put(folder, file, "");
  }
  const auto found = find_sources(
      real_files(), {folder.path() / "one", folder.path() / "two", folder.path() / "three"});
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_THAT(names_of(*found), ElementsAre("module softmax", "module t-x", "module 1___2",
                                            "module softmax_2", "module softmax_2_2"));
}

TEST(FindSources, SaysWhatIsWrongWithAPath) {
  const TempFolder folder;
  put(folder, "empty/notes.txt", "");
  const auto empty = find_sources(real_files(), {folder.path() / "empty"});
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().code(), Code::kInvalid);
  EXPECT_THAT(empty.error().message(), HasSubstr("empty holds no .py file and no bundle"));

  const auto missing = find_sources(real_files(), {folder.path() / "nowhere.py"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code(), Code::kNotFound);

  const auto text = find_sources(real_files(), {folder.path() / "empty/notes.txt"});
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.error().message(),
              HasSubstr("is neither a .py or .jsonl file, a task.json nor a folder"));
}

TEST(ReadModule, RefusesWhatIsNoTextAndWhatIsTooLarge) {
  const TempFolder folder;
  Source source{Source::Kind::kModule, put(folder, "good.py", "x = '\xc3\xa9'\n"), "good"};
  EXPECT_EQ(read_module(real_files(), source).value(), "x = '\xc3\xa9'\n");
  source.path = put(folder, "latin.py", "x = '\xe9'\n");
  EXPECT_THAT(read_module(real_files(), source).error().message(),
              HasSubstr("latin.py is not UTF-8 text"));
  source.path = put(folder, "large.py", std::string((1U << 20U) + 1, '#'));
  EXPECT_THAT(read_module(real_files(), source).error().message(), HasSubstr("larger than"));
}

TEST(SanitisedName, IsAlwaysAFolderName) {
  EXPECT_EQ(sanitised_name("12_Gemm-x.y"), "12_Gemm-x.y");
  EXPECT_EQ(sanitised_name(""), "t");
  EXPECT_EQ(sanitised_name(".."), "t..");
  EXPECT_EQ(sanitised_name("a/b"), "a_b");
  EXPECT_EQ(sanitised_name(std::string(300, '/')).size(), 100U);
  for (const char* name : {"..", "é", "-", "a b c", "_"}) {
    EXPECT_EQ(sanitised_name(sanitised_name(name)), sanitised_name(name));
  }
}

}  // namespace
}  // namespace kvgen
