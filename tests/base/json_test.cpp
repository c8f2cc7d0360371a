#include "kvgen/base/json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace kvgen {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Row {
  std::string text;
  std::string says;  // "": accepted
};

class Strictness : public ::testing::TestWithParam<Row> {};

TEST_P(Strictness, OfParsing) {
  const auto json = parse_json(GetParam().text, {.bytes = 200, .depth = 4});
  if (GetParam().says.empty()) {
    EXPECT_TRUE(json.ok()) << json.error().message();
  } else {
    ASSERT_FALSE(json.ok());
    EXPECT_EQ(json.error().code(), Code::kInvalid);
    EXPECT_THAT(json.error().message(), HasSubstr(GetParam().says));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, Strictness,
    ::testing::Values(
        Row{R"({"a": [1, -2.5e3, true, null, "x"]})", ""}, Row{" [] ", ""}, Row{"3", ""},
        Row{"18446744073709551615", ""}, Row{"-9223372036854775808", ""},
        Row{R"({"a": {"a": 1}, "b": {"a": 1}})", ""}, Row{R"("\u00e9\ud83d\ude00")", ""},
        Row{"[[[[1]]]]", ""}, Row{"", "syntax error"}, Row{"{", "syntax error"},
        Row{"[1,]", "byte 4"}, Row{"{'a': 1}", "syntax error"}, Row{"[1] 2", "byte 5"},
        Row{"NaN", "syntax error"}, Row{"Infinity", "syntax error"}, Row{"01", "byte 2"},
        Row{"// no\n1", "syntax error"}, Row{R"({"a": 1, "a": 2})", "\"a\" stands twice"},
        Row{R"([{"b": {"a": 1, "a": 1}}])", "\"a\" stands twice"},
        Row{"18446744073709551616", "does not fit 64 bits"},
        Row{"-9223372036854775809", "does not fit 64 bits"}, Row{"1e999", "1e999"},
        Row{"[[[[[1]]]]]", "deeper than 4"}, Row{R"({"a":{"a":{"a":{"a":{}}}}})", "deeper than 4"},
        Row{"\"\xff\"", "UTF-8"}, Row{"\"\xc0\xaf\"", "UTF-8"}, Row{R"("\ud800")", "syntax error"},
        Row{"\"a\nb\"", "syntax error"}, Row{std::string("1\0", 2), "zero byte (byte 2)"},
        Row{std::string("{}\0 hidden", 10), "zero byte"},
        Row{"\"" + std::string(300, 'x') + "\"", "the limit is 200"}));

TEST(Line, IsOneLineWithSortedKeysWhateverTheBytes) {
  EXPECT_EQ(to_line({{"b", 1}, {"a", "x\ny"}}), R"({"a":"x\ny","b":1})");
  EXPECT_EQ(to_line("a\xff"), "\"a\xef\xbf\xbd\"");
}

TEST(FiniteOrNull, NullIsWhatJsonCannotHold) {
  EXPECT_EQ(finite_or_null(1.5), Json(1.5));
  EXPECT_TRUE(finite_or_null(std::nan("")).is_null());
  EXPECT_TRUE(finite_or_null(-std::numeric_limits<double>::infinity()).is_null());
}

struct FieldRow {
  const char* value;
  void (*read)(Fields&);
  const char* says;
};

class FieldTypes : public ::testing::TestWithParam<FieldRow> {};

TEST_P(FieldTypes, NameWhatIsWrongAndWhere) {
  const Json json = {{"k", Json::parse(GetParam().value)}};
  Fields fields(json, "task.json: variants[0]");
  GetParam().read(fields);
  const auto done = fields.finish();
  if (*GetParam().says == '\0') {
    EXPECT_TRUE(done.ok()) << done.error().message();
  } else {
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().message(), std::string("task.json: variants[0].k ") + GetParam().says);
  }
}

template <class T>
void get(Fields& fields) {
  fields.get<T>("k");
}

INSTANTIATE_TEST_SUITE_P(
    Table, FieldTypes,
    ::testing::Values(
        FieldRow{"true", get<bool>, ""}, FieldRow{"1", get<bool>, "must be true or false"},
        FieldRow{"\"x\"", get<std::string>, ""}, FieldRow{"1", get<std::string>, "must be text"},
        FieldRow{"1.5", get<double>, ""}, FieldRow{"1", get<double>, ""},
        FieldRow{"\"1\"", get<double>, "must be a number"},
        FieldRow{"null", get<double>, "must be a number"},
        FieldRow{"9223372036854775807", get<std::int64_t>, ""},
        FieldRow{"9223372036854775808", get<std::int64_t>, "must be an integer"},
        FieldRow{"1.0", get<std::int64_t>, "must be an integer"},
        FieldRow{"18446744073709551615", get<std::uint64_t>, ""},
        FieldRow{"-1", get<std::uint64_t>, "must be a non-negative integer"},
        FieldRow{"2147483647", get<int>, ""},
        FieldRow{"2147483648", get<int>, "must be a 32-bit integer"},
        FieldRow{"true", get<int>, "must be a 32-bit integer"},
        FieldRow{"[1, 2]", get<std::vector<std::int64_t>>, ""},
        FieldRow{"[1, 2.5]", get<std::vector<std::int64_t>>, "must be a list of integers"},
        FieldRow{"[\"a\", 1]", get<std::vector<std::string>>, "must be a list of texts"},
        FieldRow{"{}", [](Fields& f) { f.array("k"); }, "must be a list"},
        FieldRow{"[]", [](Fields& f) { f.object("k"); }, "must be an object"},
        FieldRow{"1", [](Fields& f) { f.get_or<std::string>("k", ""); }, "must be text"},
        FieldRow{"1", [](Fields& f) { f.maybe<std::string>("k"); }, "must be text"},
        FieldRow{"null", [](Fields& f) { f.maybe<std::string>("k"); }, ""},
        FieldRow{"1", [](Fields&) {}, "is not a known key"}));

TEST(FieldsTest, TheFirstFaultIsKept) {
  const Json json = {{"b", "text"}};
  Fields fields(json, "x");
  fields.get<int>("a");
  fields.get<int>("b");
  EXPECT_EQ(fields.finish().error().message(), "x.a is missing");
}

TEST(FieldsTest, AbsentValuesTakeTheirDefaults) {
  const Json json = Json::object();
  Fields fields(json, "x");
  EXPECT_EQ(fields.get_or<int>("a", 7), 7);
  EXPECT_FALSE(fields.maybe<int>("b").has_value());
  EXPECT_TRUE(fields.array_or_empty("c").empty());
  EXPECT_TRUE(fields.finish().ok());
  EXPECT_TRUE(fields.array("d").empty()) << "a wrong read gives something harmless";
  EXPECT_FALSE(fields.finish().ok());
}

TEST(FieldsTest, WhatIsNoObjectIsTold) {
  const Json json = Json::array();
  Fields fields(json, "reply");
  fields.get<int>("a");
  EXPECT_EQ(fields.finish().error().message(), "reply: expected an object");
}

TEST(FieldsTest, UnknownKeysMayBeAllowed) {
  const Json json = {{"later", 1}};
  Fields fields(json, "x");
  EXPECT_TRUE(fields.finish_allowing_unknown().ok());
  EXPECT_FALSE(fields.finish().ok());
}

}  // namespace
}  // namespace kvgen
