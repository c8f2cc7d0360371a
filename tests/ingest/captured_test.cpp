#include "kvgen/ingest/captured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ingest/ingest_files.h"

namespace kvgen {
namespace {

using ::testing::HasSubstr;

const Source kSource{Source::Kind::kModule, "mods/layer_norm.py", "layer_norm"};

Json reply(const std::string& name) {
  return parse_json(text_of(kReplies / (name + ".json"))).value();
}

TEST(CaptureRequest, SaysOnlyWhatIsAskedFor) {
  EXPECT_EQ(capture_request(kSource, "text"),
            (Json{{"source", "text"}, {"filename", "mods/layer_norm.py"}}));
  Source source = kSource;
  source.capture = {.entry = "Gate", .mode = "eval", .dtype = "bfloat16"};
  EXPECT_EQ(capture_request(source, "text"), (Json{{"source", "text"},
                                                   {"filename", "mods/layer_norm.py"},
                                                   {"entry", "Gate"},
                                                   {"mode", "eval"},
                                                   {"dtype", "bfloat16"}}));
}

TEST(TaskFromCapture, TakesWhatTheWorkerAnswers) {
  for (const char* name : {"layer_norm", "linear_relu", "bmm_transpose", "batch_norm", "infinities",
                           "scalar_inputs"}) {
    const Source source{Source::Kind::kModule, std::string(name) + ".py", name};
    const auto task = task_from_capture(reply(name), source, "the text");
    ASSERT_TRUE(task.ok()) << task.error().message();
    EXPECT_EQ(task->name, name);
    EXPECT_EQ(task->source, "the text");
    EXPECT_EQ(task->hash.size(), 64U);
    EXPECT_EQ(task->structural_hash.size(), 64U);
    EXPECT_NE(task->variant("official"), nullptr);
    EXPECT_NE(task->variant("tiny"), nullptr);
  }
}

TEST(TaskFromCapture, NamesSymbolsAfterInitArguments) {
  const auto task = task_from_capture(reply("layer_norm"), kSource, "");
  ASSERT_TRUE(task.ok()) << task.error().message();
  const auto& symbols = task->variant("tiny")->symbols;
  ASSERT_EQ(symbols.size(), 2U);
  EXPECT_EQ(symbols[0].name, "features");
  EXPECT_EQ(std::get<std::int64_t>(symbols[0].value), 96);
  EXPECT_EQ(symbols[1].name, "eps");
  EXPECT_EQ(std::get<double>(symbols[1].value), 1e-3);
}

TEST(TaskFromCapture, TheHashIsOfTheContentAlone) {
  const auto task = task_from_capture(reply("layer_norm"), kSource, "text");
  Json other = reply("layer_norm");
  other["captured_by"] = {{"torch", "9.9"}};
  other["seconds"] = {{"total", 3.5}};
  EXPECT_EQ(task_from_capture(other, kSource, "text")->hash, task->hash);
  EXPECT_NE(task_from_capture(other, kSource, "text ")->hash, task->hash);
  other["variants"][0]["symbols"][1]["value"] = 2e-3;
  other["variants"][0]["graph"]["nodes"][0]["args"][4] = 2e-3;
  EXPECT_NE(task_from_capture(other, kSource, "text")->hash, task->hash);
}

struct Forged {
  const char* what;
  const char* path;
  Json value;
  const char* error;
};

TEST(TaskFromCapture, BelievesNothing) {
  const std::vector<Forged> cases = {
      {"no variants", "/variants", Json::array(), "has no variants"},
      {"a shape beyond reason",
       "/variants/0/graph/inputs/0/spec/shape",
       {1LL << 40, 1LL << 40},
       "shape is negative or too large"},
      {"an operator of someone else's", "/variants/1/graph/nodes/0/op", "os::system",
       "variants[1].graph.nodes[0] calls os::system, not aten::"},
      {"a value from nowhere",
       "/variants/2/init/nodes/0/args/0",
       {{"t", 9}},
       "variants[2].init.nodes[0] uses %9 before it is defined"},
      {"an id beyond all", "/variants/0/graph/outputs/0/id", 1 << 30, "must be a value id"},
      {"text for a number", "/variants/0/symbols/0/value", {{"s", "7"}}, "must be a number"},
      {"other symbols", "/variants/1/symbols", Json::array(), "has other symbols than official"},
      {"no entry", "/entry", 3, "entry must be text"},
  };
  for (const Forged& forged : cases) {
    Json json = reply("layer_norm");
    json[Json::json_pointer(forged.path)] = forged.value;
    const auto task = task_from_capture(json, kSource, "");
    ASSERT_FALSE(task.ok()) << forged.what;
    EXPECT_EQ(task.error().code(), Code::kInvalid) << forged.what;
    EXPECT_THAT(task.error().message(), HasSubstr(forged.error)) << forged.what;
    EXPECT_THAT(task.error().message(), HasSubstr("mods/layer_norm.py")) << forged.what;
  }
}

TEST(TaskFromCapture, LivesThroughAnyJson) {
  for (const char* text : {"null", "[]", "3", "{}", R"({"variants": {}})", R"({"variants": [3]})",
                           R"({"entry": "", "variants": [{"name": []}]})"}) {
    EXPECT_FALSE(task_from_capture(parse_json(text).value(), kSource, "").ok()) << text;
  }
}

}  // namespace
}  // namespace kvgen
