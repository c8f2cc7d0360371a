#include "kvgen/base/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "tests/support/temp_folder.h"

namespace kvgen {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FilesTest : public ::testing::Test {
 protected:
  fs::path at(const std::string& name) const { return folder_.path() / name; }

  testing::TempFolder folder_;
  Files& files_ = real_files();
};

TEST_F(FilesTest, WhatIsWrittenIsRead) {
  const std::string bytes("a\0b\xff\n", 5);
  ASSERT_TRUE(files_.write_atomically(at("x"), bytes).ok());
  EXPECT_EQ(*files_.read(at("x"), 5), bytes);
  ASSERT_TRUE(files_.write_atomically(at("x"), "").ok());
  EXPECT_EQ(*files_.read(at("x"), 0), "");
  EXPECT_THAT(*files_.list(folder_.path()), ElementsAre("x")) << "nothing is left aside";
}

TEST_F(FilesTest, AReaderThatHasTheOldFileKeepsIt) {
  ASSERT_TRUE(files_.write_atomically(at("x"), "old").ok());
  std::ifstream reader(at("x"));
  ASSERT_TRUE(files_.write_atomically(at("x"), "newer").ok());
  std::string line;
  std::getline(reader, line);
  EXPECT_EQ(line, "old");
  EXPECT_EQ(*files_.read(at("x"), 10), "newer");
}

TEST_F(FilesTest, TooLargeIsRefused) {
  ASSERT_TRUE(files_.write_atomically(at("x"), "12345").ok());
  const auto read = files_.read(at("x"), 4);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code(), Code::kInvalid);
  EXPECT_THAT(read.error().message(), AllOf(HasSubstr("x"), HasSubstr("4 bytes")));
}

TEST_F(FilesTest, AnEndlessFileIsRefused) {
  // /dev/zero is no regular file; a growing one would end at the limit.
  EXPECT_EQ(files_.read("/dev/zero", 100).error().code(), Code::kInvalid);
}

TEST_F(FilesTest, AFifoDoesNotBlock) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(files_.read(at("pipe"), 100).error().code(), Code::kInvalid);
}

TEST_F(FilesTest, AFolderIsNoFile) {
  EXPECT_EQ(files_.read(folder_.path(), 100).error().code(), Code::kInvalid);
  EXPECT_FALSE(files_.write_atomically(folder_.path(), "x").ok());
  EXPECT_TRUE(fs::is_directory(folder_.path()));
}

TEST_F(FilesTest, MissingThingsAreNamed) {
  const auto read = files_.read(at("none"), 100);
  EXPECT_EQ(read.error().code(), Code::kNotFound);
  EXPECT_THAT(read.error().message(), HasSubstr(at("none").string()));
  EXPECT_EQ(files_.write_atomically(at("none/x"), "x").error().code(), Code::kNotFound);
  EXPECT_EQ(files_.list(at("none")).error().code(), Code::kNotFound);
  EXPECT_FALSE(files_.exists(at("none")));
  EXPECT_TRUE(files_.remove(at("none")).ok());
}

TEST_F(FilesTest, FoldersAreMadeListedAndRemoved) {
  ASSERT_TRUE(files_.make_folder(at("a/b")).ok());
  EXPECT_TRUE(files_.make_folder(at("a/b")).ok()) << "one that is there is fine";
  ASSERT_TRUE(files_.write_atomically(at("a/z"), "").ok());
  EXPECT_THAT(*files_.list(at("a")), ElementsAre("b/", "z"));
  ASSERT_TRUE(files_.remove(at("a")).ok());
  EXPECT_FALSE(files_.exists(at("a")));
  ASSERT_TRUE(files_.write_atomically(at("file"), "").ok());
  EXPECT_FALSE(files_.make_folder(at("file/x")).ok());
}

TEST(IoError, SaysWhatKindAndWhatToDo) {
  struct Row {
    int number;
    Code code;
    const char* advice;
  };
  for (const Row& row :
       {Row{ENOSPC, Code::kFull, "free some space"}, Row{EDQUOT, Code::kFull, "free some space"},
        Row{EACCES, Code::kDenied, "permissions"}, Row{EROFS, Code::kDenied, "may write"},
        Row{EMFILE, Code::kFull, "ulimit -n"}, Row{ENOENT, Code::kNotFound, "No such file"},
        Row{EIO, Code::kIo, "error"}}) {
    const Error error = io_error("cannot write", "/a/b", row.number);
    EXPECT_EQ(error.code(), row.code);
    EXPECT_THAT(error.message(), AllOf(HasSubstr("cannot write /a/b"), HasSubstr(row.advice)));
  }
}

}  // namespace
}  // namespace kvgen
