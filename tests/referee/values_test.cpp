#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "referee/compare.h"
#include "referee/poison.h"
#include "referee/random.h"
#include "tests/referee/bench.h"

namespace kvgen {
namespace {

using referee_bench::Bench;
using referee_bench::Kernel;
using referee_bench::Tensors;

constexpr std::size_t kRows = 16;
constexpr std::size_t kColumns = 64;

TEST(SignedPair, NeverDrawsNextToNothing) {
  int negative = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const referee::SignedPair pair = referee::signed_pair(17, i);
    for (const double x : {pair.first, pair.second}) {
      ASSERT_GE(std::abs(x), 0.5);
      ASSERT_LE(std::abs(x), 1.0);
      if (x < 0) ++negative;
    }
  }
  EXPECT_NEAR(negative, 100'000, 2'000);
}

Json node(const char* op, const char* overload, Json args, Json out) {
  return {{"op", op},   {"ov", overload},       {"args", std::move(args)}, {"kw", Json::object()},
          {"out", out}, {"meta", Json::array()}};
}

Json output(int id, const char* name, const char* dtype, Json shape = {kRows, kColumns},
            const char* role = "output") {
  return {{"id", id},
          {"spec", {{"name", name}, {"role", role}, {"dtype", dtype}, {"shape", shape}}}};
}

const Json kX = {{"t", 0}};

Json to_half(int out) {
  Json made = node("aten::to", "dtype", {kX, {{"dtype", "float16"}}}, Json::array({out}));
  made["meta"] = Json::array({{{"dtype", "float16"}, {"shape", {kRows, kColumns}}}});
  return made;
}

Json value(int id) { return {{"t", id}}; }

// A graph of one input, value 0: x of [16, 64], normal.
Task task_of(Json nodes, Json outputs, const char* dtype = "float32") {
  const Json shape = {kRows, kColumns};
  Json draw = Json::array({node("aten::randn", "", {shape}, {0})});
  int x = 0;
  if (dtype != std::string("float32")) {
    draw.push_back(to_half(1));
    x = 1;
  }
  const Json none = Json::array();
  const Json variant = {
      {"name", "small"},
      {"graph",
       {{"inputs", Json::array({output(0, "x", dtype, shape, "input")})},
        {"nodes", std::move(nodes)},
        {"outputs", std::move(outputs)},
        {"scalars", none}}},
      {"init", {{"constants", none}, {"nodes", none}, {"made", none}}},
      {"inputs",
       {{"constants", none}, {"nodes", draw}, {"made", Json::array({{{"name", "x"}, {"id", x}}})}}},
      {"symbols", none},
      {"sizes", Json::object()}};
  auto parsed = variant_from(variant, "test");
  EXPECT_TRUE(parsed.ok()) << parsed.error().message();
  return referee_bench::task_of(std::move(parsed).value());
}

OutcomeKind judged(const Task& task, const Kernel& kernel) {
  Bench bench;
  const auto opened = bench.open(task);
  EXPECT_TRUE(opened.ok()) << opened.error().message();
  if (!opened.ok()) return OutcomeKind::kNotJudgedHere;
  const auto answer = bench.judge(kernel);
  EXPECT_TRUE(answer.ok()) << answer.error().message();
  if (!answer.ok()) return OutcomeKind::kNotJudgedHere;
  EXPECT_EQ(answer->verdict.within, answer->outcome.verified());
  return answer->outcome.kind;
}

template <class F>
Kernel each(F function) {
  return
      [function](const Tensors& t) { std::ranges::transform(t["x"], t["out"].begin(), function); };
}

// ---- constants that float32 rounds ----------------------------------------------------
Task bounded() {
  return task_of(Json::array({node("aten::clamp", "", {kX, -1.1, 1.6}, {1}),
                              node("aten::abs", "", {value(1)}, {2}),
                              node("aten::hardtanh", "", {value(2), -0.7, 0.9}, {3})}),
                 Json::array({output(3, "out", "float32")}));
}

float bound(float x, float high) { return std::min(std::abs(std::clamp(x, -1.1F, 1.6F)), high); }

TEST(ReferenceValues, ABoundMayBeRoundedToTheType) {
  EXPECT_EQ(judged(bounded(), each([](float x) { return bound(x, 0.9F); })),
            OutcomeKind::kVerified);
}

TEST(ReferenceValues, ABoundThatIsOffIsWrong) {
  EXPECT_EQ(judged(bounded(), each([](float x) { return bound(x, 0.900001F); })),
            OutcomeKind::kWrongOutput);
}

TEST(ReferenceValues, WhatABoundLeavesAloneIsStillExact) {
  const auto off = [](float x) {
    const float y = bound(x, 0.9F);
    return y < 0.9F ? std::nextafter(y, 0.0F) : y;
  };
  EXPECT_EQ(judged(bounded(), each(off)), OutcomeKind::kWrongOutput);
}

// ---- zeros and NaN ----------------------------------------------------------------------
TEST(ReferenceValues, ANegativeZeroIsAZero) {
  const Task relu = task_of(Json::array({node("aten::relu", "", {kX}, {1})}),
                            Json::array({output(1, "out", "float32")}));
  EXPECT_EQ(judged(relu, each([](float x) { return x > 0 ? x : -0.0F; })), OutcomeKind::kVerified);
}

TEST(ReferenceValues, NanMustBeWhereTheReferenceHasIt) {
  const Task root = task_of(Json::array({node("aten::sqrt", "", {kX}, {1})}),
                            Json::array({output(1, "out", "float32")}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(judged(root, each([&](float x) { return x < 0 ? -nan : std::sqrt(x); })),
            OutcomeKind::kVerified);
  EXPECT_EQ(judged(root, each([](float x) { return std::sqrt(std::max(x, 0.0F)); })),
            OutcomeKind::kWrongOutput);
  EXPECT_EQ(judged(root, each([&](float x) { return x < 1e-2F ? nan : std::sqrt(x); })),
            OutcomeKind::kWrongOutput);
}

// ---- types and places ----------------------------------------------------------------------
TEST(ReferenceValues, HalfPrecisionIsHeldToItsOwnRounding) {
  Json halves = node("aten::mul", "Scalar", {kX, 1.7}, {1});
  halves["meta"] = Json::array({{{"dtype", "float16"}, {"shape", {kRows, kColumns}}}});
  const Task scaled =
      task_of(Json::array({halves}), Json::array({output(1, "out", "float16")}), "float16");
  const auto by = [](float factor) {
    return [factor](const Tensors& t) {
      std::ranges::transform(t.halves.at("x"), t.halves.at("out").begin(), [&](_Float16 x) {
        return static_cast<_Float16>(static_cast<float>(x) * factor);
      });
    };
  };
  EXPECT_EQ(judged(scaled, by(1.7F)), OutcomeKind::kVerified);
  EXPECT_EQ(judged(scaled, by(1.75F)), OutcomeKind::kWrongOutput);
}

TEST(ReferenceValues, ANarrowedCopyMayBeRounded) {
  const Task half = task_of(Json::array({to_half(1)}), Json::array({output(1, "out", "float16")}));
  EXPECT_EQ(judged(half,
                   [](const Tensors& t) {
                     std::ranges::transform(t["x"], t.halves.at("out").begin(),
                                            [](float x) { return static_cast<_Float16>(x); });
                   }),
            OutcomeKind::kVerified);
}

TEST(ReferenceValues, ATensorUpdatedInPlaceIsJudged) {
  const Task grown =
      task_of(Json::array({node("aten::add_", "Scalar", {kX, 2.5}, {1})}),
              Json::array({output(1, "x.out", "float32", {kRows, kColumns}, "in_place")}));
  const auto add = [](float step) {
    return [step](const Tensors& t) {
      for (float& x : t["x.out"]) x += step;
    };
  };
  EXPECT_EQ(judged(grown, add(2.5F)), OutcomeKind::kVerified);
  EXPECT_EQ(judged(grown, add(0)), OutcomeKind::kWrongOutput);
}

// ---- bytes -------------------------------------------------------------------------------
TEST(ReferenceValues, AByteThatHappensToEqualItsPoisonWasWritten) {
  referee::ExpectedOutput expected;
  expected.spec = {"out", TensorRole::kOutput, DType::kInt8, {4096}};
  expected.integers.assign(4096, 1);
  const referee::Poison poison(7, 0);
  std::vector<std::byte> data(4096, std::byte{0});
  const auto written = compare(expected, data, poison);
  EXPECT_EQ(written.wrong, 4096);
  EXPECT_EQ(written.unwritten, 0);

  poison.fill(DType::kInt8, data);
  EXPECT_GT(compare(expected, data, poison).unwritten, 4000);
}

// ---- ties --------------------------------------------------------------------------------
// The columns of a row by falling rounded value; of equal ones the last first.
std::vector<std::size_t> ranked(std::span<float> row) {
  std::vector<std::size_t> order(row.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const float first = std::nearbyint(row[a]);
    const float second = std::nearbyint(row[b]);
    return first > second || (first == second && a > b);
  });
  return order;
}

Task largest_of_whole_numbers(bool multiplied) {
  Json nodes = Json::array({node("aten::round", "", {kX}, {1})});
  if (multiplied) nodes.push_back(node("aten::mul", "Scalar", {value(1), 1}, {2}));
  nodes.push_back(node("aten::argmax", "", {value(multiplied ? 2 : 1), -1}, {3}));
  return task_of(std::move(nodes), Json::array({output(3, "out", "int64", {kRows})}));
}

TEST(ReferenceValues, OfEqualValuesTheFirstCountsUnlessTheyWereRounded) {
  const auto last = [](std::size_t rank) {
    return [rank](const Tensors& t) {
      for (std::size_t r = 0; r < kRows; ++r) {
        const auto order = ranked(t["x"].subspan(r * kColumns, kColumns));
        t.integers.at("out")[r] = static_cast<std::int64_t>(order[rank]);
      }
    };
  };
  const Kernel first = [](const Tensors& t) {
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto row = t["x"].subspan(r * kColumns, kColumns);
      const float top = std::nearbyint(*std::ranges::max_element(row));
      const auto at = std::ranges::find_if(row, [&](float x) { return std::nearbyint(x) == top; });
      t.integers.at("out")[r] = at - row.begin();
    }
  };
  for (const bool multiplied : {false, true}) {
    const Task task = largest_of_whole_numbers(multiplied);
    EXPECT_EQ(judged(task, first), OutcomeKind::kVerified);
    EXPECT_EQ(judged(task, last(kColumns - 1)), OutcomeKind::kWrongOutput);
    EXPECT_EQ(judged(task, last(0)),
              multiplied ? OutcomeKind::kVerified : OutcomeKind::kWrongOutput);
  }
}

TEST(ReferenceValues, TopkMayRankTiesInAnotherOrder) {
  const Task top =
      task_of(Json::array({node("aten::round", "", {kX}, {1}),
                           node("aten::topk", "", {value(1), 8, -1, true, true}, {2, 3})}),
              Json::array({output(2, "out0", "float32", {kRows, 8}),
                           output(3, "out1", "int64", {kRows, 8})}));
  const auto choose = [](std::size_t first) {
    return [first](const Tensors& t) {
      for (std::size_t r = 0; r < kRows; ++r) {
        const auto row = t["x"].subspan(r * kColumns, kColumns);
        const auto order = ranked(row);
        for (std::size_t k = 0; k < 8; ++k) {
          t["out0"][r * 8 + k] = std::nearbyint(row[order[k]]);
          t.integers.at("out1")[r * 8 + k] = static_cast<std::int64_t>(order[first + k]);
        }
      }
    };
  };
  EXPECT_EQ(judged(top, choose(0)), OutcomeKind::kVerified);
  EXPECT_EQ(judged(top, choose(40)), OutcomeKind::kWrongOutput);
}

// ---- marks -----------------------------------------------------------------------------------
std::vector<std::string> marks(Json nodes, int result) {
  Bench bench;
  const Task task = task_of(std::move(nodes), Json::array({output(result, "out", "float32")}));
  const auto reply = bench.engine().handle("admit", {to_json(AdmitCall{task, 1}), {}});
  EXPECT_TRUE(reply.ok()) << reply.error().message();
  return reply.ok() ? admit_answer_from(reply->json)->marks : std::vector<std::string>{};
}

TEST(Admission, ATaskThatDrawsIsMarkedRandom) {
  EXPECT_THAT(marks(Json::array({node("aten::rand_like", "", {kX}, {1}),
                                 node("aten::add", "Tensor", {kX, value(1)}, {2})}),
                    2),
              testing::Contains("random"));
}

TEST(Admission, ATaskThatCancelsItsDigitsIsMarkedIllConditioned) {
  EXPECT_THAT(marks(Json::array({node("aten::add", "Scalar", {kX, 1e6}, {1}),
                                 node("aten::sub", "Scalar", {value(1), 1e6}, {2})}),
                    2),
              testing::Contains("ill_conditioned"));
}

}  // namespace
}  // namespace kvgen
