#include <gmock/gmock.h>

#include <algorithm>

#include "tests/referee/bench.h"

namespace kvgen {
namespace {

using referee_bench::Bench;
using referee_bench::Tensors;
using testing::Contains;
using testing::HasSubstr;

void transpose(const Tensors& t) {
  for (std::size_t r = 0; r < 60; ++r) {
    for (std::size_t c = 0; c < 48; ++c) t["out"][c * 60 + r] = t["x"][r * 48 + c];
  }
}

JudgeAnswer judged(const std::function<void(const Tensors&)>& kernel, std::uint64_t poison = 7) {
  Bench bench;
  EXPECT_TRUE(bench.open(referee_bench::load("transpose")).ok());
  auto answer = bench.judge(kernel, poison);
  EXPECT_TRUE(answer.ok());
  return answer.ok() ? std::move(*answer) : JudgeAnswer{};
}

TEST(RefereeEngine, AnElementLeftOutIsNamed) {
  for (const std::uint64_t poison : {1U, 2U, 3U}) {
    const JudgeAnswer answer = judged(
        [](const Tensors& t) {
          const float kept = t["out"][65];
          transpose(t);
          t["out"][65] = kept;
        },
        poison);
    EXPECT_EQ(answer.outcome.kind, OutcomeKind::kUnwrittenOutput);
    EXPECT_EQ(answer.outcome.detail.at("unwritten"), 1);
    EXPECT_EQ(answer.outcome.detail.at("first")[0].at("index"), Json({1, 5}));
  }
}

TEST(RefereeEngine, AnOutputThatIsAddedToWithoutAFillIsNamed) {
  const JudgeAnswer answer = judged([](const Tensors& t) {
    for (std::size_t r = 0; r < 60; ++r) {
      for (std::size_t c = 0; c < 48; ++c) t["out"][c * 60 + r] += t["x"][r * 48 + c];
    }
  });
  EXPECT_EQ(answer.outcome.kind, OutcomeKind::kUnwrittenOutput);
  EXPECT_THAT(answer.outcome.reason, HasSubstr("never written, or added to without a fill"));
}

TEST(RefereeEngine, AByteWrittenBeforeTheOutputIsOutOfBounds) {
  const JudgeAnswer answer = judged([](const Tensors& t) {
    transpose(t);
    const auto region = t.regions.at("out");
    region[region.size() - t["out"].size_bytes() - 1] ^= std::byte{1};
  });
  EXPECT_EQ(answer.outcome.kind, OutcomeKind::kOutOfBounds);
  EXPECT_EQ(answer.outcome.detail.at("tensor"), "out");
}

TEST(RefereeEngine, SwappedDimensionsAreRecognised) {
  const JudgeAnswer answer =
      judged([](const Tensors& t) { std::ranges::copy(t["x"], t["out"].begin()); });
  EXPECT_EQ(answer.outcome.kind, OutcomeKind::kWrongOutput);
  EXPECT_EQ(answer.outcome.detail.at("pattern"), "transposed");
}

TEST(RefereeEngine, ATailThatIsNotComputedIsRecognised) {
  const JudgeAnswer answer = judged([](const Tensors& t) {
    transpose(t);
    std::ranges::transform(t["out"].subspan(2500), t["out"].subspan(2500).begin(),
                           [](float v) { return v * v + 1; });
  });
  EXPECT_EQ(answer.outcome.detail.at("pattern"), "tail_only");
  EXPECT_THAT(answer.outcome.reason, HasSubstr("[41, 40]"));
}

TEST(RefereeEngine, TheSameSeedGivesTheSameInputsAndTheSameDigest) {
  const auto digest = [](std::uint64_t seed) {
    Bench bench;
    EXPECT_TRUE(bench.open(referee_bench::load("transpose"), "recorded", seed).ok());
    return bench.judge(transpose)->verdict.output_digest;
  };
  EXPECT_EQ(digest(5), digest(5));
  EXPECT_NE(digest(5), digest(6));
}

TEST(RefereeEngine, ADroppedCaseMayBeOpenedAgain) {
  Bench bench;
  const auto answer =
      bench.engine().handle("new_outputs", {to_json(NewOutputsCall{"case-99", 1}), {}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kNotFound);
  EXPECT_TRUE(answer.error().retryable());
}

TEST(RefereeEngine, TheLeastUsedCaseMakesRoom) {
  Bench bench(RefereeLimits{.cases_bytes = 1});
  const auto ask = [&](const std::string& id) {
    return bench.engine().handle("new_outputs", {to_json(NewOutputsCall{id, 1}), {}});
  };
  const auto first = bench.open(referee_bench::load("transpose"));
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(ask(first->case_id).ok()) << "the newest case stays, however large";
  const auto second = bench.open(referee_bench::load("transpose"));
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(ask(second->case_id).ok());
  const auto gone = ask(first->case_id);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code(), Code::kNotFound);
  EXPECT_TRUE(gone.error().retryable());
}

TEST(RefereeEngine, TimesTheReference) {
  Bench bench;
  const auto opened = bench.open(referee_bench::load("softmax"));
  ASSERT_TRUE(opened.ok());
  for (const bool cold : {false, true}) {
    const auto reply = bench.engine().handle(
        "time_reference", {to_json(TimeReferenceCall{opened->case_id, 3, cold, 1}), {}});
    ASSERT_TRUE(reply.ok());
    EXPECT_GT(reply->json.at("wall_ns").get<std::int64_t>(), 0);
  }
}

std::vector<std::string> marks(const std::string& name) {
  Bench bench;
  const auto reply =
      bench.engine().handle("admit", {to_json(AdmitCall{referee_bench::load(name), 1}), {}});
  EXPECT_TRUE(reply.ok()) << reply.error().message();
  return reply.ok() ? admit_answer_from(reply->json)->marks : std::vector<std::string>{};
}

TEST(Admission, AnHonestTaskHasNoMarks) { EXPECT_THAT(marks("layer_norm"), testing::IsEmpty()); }

TEST(Admission, SmallValuesPassAsZeroUnderAllcloseAlone) {
  EXPECT_THAT(marks("softmax"), testing::ElementsAre("loose: zeros pass allclose 1e-2"));
}

TEST(Admission, AResultThatIsAlwaysZeroIsDegenerate) {
  EXPECT_THAT(marks("mean_of_norm"),
              testing::IsSupersetOf({std::string("degenerate: zeros"), std::string("ignores: x"),
                                     std::string("ignores: weight")}));
}

// ---- hostile bundles ----------------------------------------------------------------------
struct Hostile {
  const char* name;
  std::function<void(Variant&)> spoil;
  const char* says;
};
class HostileBundle : public testing::TestWithParam<Hostile> {};

TEST_P(HostileBundle, IsAnErrorThatNamesThePlace) {
  Variant variant = referee_bench::load("softmax").variants.front();
  GetParam().spoil(variant);
  Bench bench;
  const auto opened = bench.open(referee_bench::task_of(std::move(variant)));
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message(), HasSubstr(GetParam().says));
}

const std::vector<Hostile> kHostile = {
    {"operator_off_the_list", [](Variant& v) { v.graph.nodes[0].op = "aten::from_file"; },
     "not on the referee's list"},
    {"operator_of_another_library", [](Variant& v) { v.graph.nodes[0].op = "prim::print"; },
     "not on the referee's list"},
    {"unknown_overload", [](Variant& v) { v.graph.nodes[0].overload = "nothing"; },
     "no such operator"},
    {"value_never_made", [](Variant& v) { v.graph.nodes[0].args[0] = {ValueId{77}}; },
     "value 77 is used before it is made"},
    {"result_never_made", [](Variant& v) { v.graph.outputs[0].value = {99}; }, "never made"},
    {"text_for_a_tensor", [](Variant& v) { v.graph.nodes[0].args[0] = {std::string("x")}; },
     "argument self: expected a tensor"},
    {"tensor_for_an_integer", [](Variant& v) { v.graph.nodes[0].args[1] = {ValueId{0}}; },
     "argument dim: expected an integer"},
    {"dimension_out_of_range", [](Variant& v) { v.graph.nodes[0].args[1] = {std::int64_t{9}}; },
     "nodes[0] aten::softmax.int"},
    {"too_many_arguments", [](Variant& v) { v.graph.nodes[0].args.resize(9); }, "too many"},
    {"huge_draw",
     [](Variant& v) {
       v.inputs.nodes[0].args[0] = {ArgumentList{{std::int64_t{1} << 36}, {std::int64_t{8}}}};
     },
     "MB are allowed"},
    {"overflowing_draw",
     [](Variant& v) {
       v.inputs.nodes[0].args[0] = {ArgumentList{{std::int64_t{1} << 62}, {std::int64_t{1} << 62}}};
     },
     "inputs.nodes[0] aten::randn"},
    {"shape_other_than_told", [](Variant& v) { v.graph.inputs[0].spec.shape = {16, 999}; },
     "another shape"},
    {"output_other_than_told", [](Variant& v) { v.graph.outputs[0].spec.shape = {16, 999}; },
     "another shape"},
    {"input_nobody_makes", [](Variant& v) { v.graph.inputs[0].spec.name = "z"; },
     "nothing makes the tensor z"},
};
INSTANTIATE_TEST_SUITE_P(Bundles, HostileBundle, testing::ValuesIn(kHostile),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Distributions, OneThatBreaksTheReferenceIsNamed) {
  Variant variant = referee_bench::load("softmax").variants.front();
  variant.inputs.nodes[0].op = "aten::rand";
  variant.graph.nodes[0].op = "aten::sqrt";
  variant.graph.nodes[0].overload = "";
  variant.graph.nodes[0].args.resize(1);
  Bench bench;
  const Task task = referee_bench::task_of(std::move(variant));
  EXPECT_TRUE(bench.open(task, "recorded").ok());
  const auto opened = bench.open(task, "normal");
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message(), HasSubstr("\"normal\" is not admissible"));
}

}  // namespace
}  // namespace kvgen
