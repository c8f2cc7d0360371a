#include "tests/support/json_schema.h"

#include <gmock/gmock.h>

namespace kvgen::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Row {
  const char* schema;
  const char* value;
  const char* fault;  // "" : valid
};

class JsonSchema : public ::testing::TestWithParam<Row> {};

TEST_P(JsonSchema, Says) {
  const auto faults = faults_against(Json::parse(GetParam().schema), Json::parse(GetParam().value));
  if (*GetParam().fault == '\0') {
    EXPECT_THAT(faults, IsEmpty());
  } else {
    EXPECT_THAT(faults, ElementsAre(HasSubstr(GetParam().fault)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, JsonSchema,
    ::testing::Values(
        Row{R"({"type": "integer"})", "3", ""}, Row{R"({"type": "integer"})", "3.5", "not of type"},
        Row{R"({"type": "integer"})", "true", "not of type"}, Row{R"({"type": "number"})", "3", ""},
        Row{R"({"type": ["string", "null"]})", "null", ""},
        Row{R"({"type": ["string", "null"]})", "[]", "not of type"},
        Row{R"({"const": 1})", "2", "must be 1"},
        Row{R"({"enum": ["a", "b"]})", "\"c\"", "not one of"},
        Row{R"({"required": ["a"]})", R"({"b": 1})", "a is missing"},
        Row{R"({"properties": {"a": {"type": "string"}}})", R"({"a": 1})", "a: is not of type"},
        Row{R"({"properties": {"a": {}}, "additionalProperties": false})", R"({"a": 1, "b": 2})",
            "b: is not allowed"},
        Row{R"({"additionalProperties": {"type": "string"}})", R"({"b": 2})", "b: is not of type"},
        Row{R"({"items": {"type": "string"}})", R"(["x", 1])", "[1]: is not of type"},
        Row{R"({"minItems": 1})", "[]", "breaks minItems"},
        Row{R"({"maxItems": 1})", "[1, 2]", "breaks maxItems"},
        Row{R"({"minLength": 1})", "\"\"", "breaks minLength"},
        Row{R"({"pattern": "^[0-9a-f]{2}$"})", "\"a0\"", ""},
        Row{R"({"pattern": "^[0-9a-f]{2}$"})", "\"a0b\"", "does not match"},
        Row{R"({"minimum": 0})", "-1", "breaks minimum"},
        Row{R"({"exclusiveMinimum": 0})", "0", "breaks exclusiveMinimum"},
        Row{R"({"maximum": 3})", "4", "breaks maximum"},
        Row{R"({"anyOf": [{"type": "null"}, {"type": "string"}]})", "\"x\"", ""},
        Row{R"({"anyOf": [{"type": "null"}, {"type": "string"}]})", "1", "none of anyOf"},
        Row{R"({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}})", "1", "not of type"},
        Row{R"({"$ref": "#/$defs/missing", "$defs": {}})", "1", "not allowed"},
        Row{R"({"oneOf": []})", "1", "unknown keyword: oneOf"}));

}  // namespace
}  // namespace kvgen::testing
