#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "referee/element.h"
#include "referee/reference.h"
#include "tests/referee/bench.h"

namespace kvgen {

void PrintTo(const JudgeAnswer& answer, std::ostream* out) { *out << to_json(answer).dump(); }

namespace {

using referee::ExpectedOutput;
using referee::Reference;
using referee_bench::Bench;
using referee_bench::Kernel;
using referee_bench::Tensors;

MATCHER(Verified, "") {
  *result_listener << arg.outcome.reason;
  return arg.outcome.kind == OutcomeKind::kVerified && arg.verdict.within;
}
MATCHER_P(RejectedAs, kind, "") {
  *result_listener << to_string(arg.outcome.kind) << ": " << arg.outcome.reason;
  return to_string(arg.outcome.kind) == std::string_view(kind) && !arg.verdict.within;
}

JudgeAnswer judged(const std::string& task, const Kernel& kernel,
                   const std::string& distribution = "recorded") {
  Bench bench;
  const auto opened = bench.open(referee_bench::load(task), distribution);
  EXPECT_TRUE(opened.ok()) << opened.error().message();
  if (!opened.ok()) return {};
  auto answer = bench.judge(kernel);
  EXPECT_TRUE(answer.ok()) << answer.error().message();
  return answer.ok() ? std::move(*answer) : JudgeAnswer{};
}

// ---- libtorch itself is far from the line -------------------------------------
struct EagerCase {
  const char* task;
  const char* distribution;
};
class EagerIsWellInside : public testing::TestWithParam<EagerCase> {};

TEST_P(EagerIsWellInside, AtMostThreeTenthsOfTheLimit) {
  const Task task = referee_bench::load(GetParam().task);
  auto opened = Reference::open(task.variants.front(), 1, GetParam().distribution);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  double worst = 0;
  for (const ExpectedOutput& expected : (*opened)->expected()) {
    for (std::size_t i = 0; i < expected.eager.size(); ++i) {
      worst = std::max(worst, referee::error_ratio(expected, i, expected.eager[i]));
    }
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LE(worst, 0.3);
}

std::vector<EagerCase> eager_cases() {
  std::vector<EagerCase> cases;
  for (const char* task :
       {"sum_million", "matmul", "linear", "softmax", "layer_norm", "conv2d", "gelu", "mish",
        "transpose", "cumsum", "batch_norm", "attention", "logsumexp", "group_norm", "mse_loss"}) {
    for (const char* distribution : {"recorded", "shifted", "scaled", "low_variance"}) {
      cases.push_back({task, distribution});
    }
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Operators, EagerIsWellInside, testing::ValuesIn(eager_cases()),
                         [](const auto& row) {
                           return std::string(row.param.task) + "_" + row.param.distribution;
                         });

// ---- long sums ------------------------------------------------------------------
void sum_first(const Tensors& t, std::size_t count) {
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += t["x"][i];
  t["out"][0] = sum;
}

TEST(ReferenceLimit, SequentialSumOfAMillionIsRight) {
  for (const char* task : {"sum_million", "sum_million_positive"}) {
    const JudgeAnswer answer = judged(task, [](const Tensors& t) { sum_first(t, t["x"].size()); });
    EXPECT_THAT(answer, Verified());
    EXPECT_LE(answer.verdict.worst_ratio, 0.5) << task;
  }
}

TEST(ReferenceLimit, ASumThatMissesAThousandthIsWrong) {
  EXPECT_THAT(judged("sum_million_positive",
                     [](const Tensors& t) { sum_first(t, t["x"].size() / 1000 * 999); }),
              RejectedAs("wrong_output"));
}

// ---- dot products -----------------------------------------------------------------
void multiply(const Tensors& t, std::size_t inner) {
  for (std::size_t r = 0; r < 48; ++r) {
    for (std::size_t c = 0; c < 40; ++c) {
      float sum = 0;
      for (std::size_t k = 0; k < inner; ++k) sum += t["x"][r * 512 + k] * t["y"][k * 40 + c];
      t["out"][r * 40 + c] = sum;
    }
  }
}

TEST(ReferenceLimit, SequentialDotProductsAreRight) {
  EXPECT_THAT(judged("matmul", [](const Tensors& t) { multiply(t, 512); }), Verified());
}

TEST(ReferenceLimit, OneDroppedTermOfADotProductIsWrong) {
  EXPECT_THAT(judged("matmul", [](const Tensors& t) { multiply(t, 511); }),
              RejectedAs("wrong_output"));
}

void linear(const Tensors& t, bool with_bias) {
  for (std::size_t r = 0; r < 32; ++r) {
    for (std::size_t c = 0; c < 64; ++c) {
      float sum = with_bias ? t["bias"][c] : 0.0F;
      for (std::size_t k = 0; k < 256; ++k) sum += t["x"][r * 256 + k] * t["weight"][c * 256 + k];
      t["out"][r * 64 + c] = sum;
    }
  }
}

TEST(ReferenceLimit, ALinearLayerIsRight) {
  EXPECT_THAT(judged("linear", [](const Tensors& t) { linear(t, true); }), Verified());
}

TEST(ReferenceLimit, ASkippedBiasThatStartsAsZeroIsWrong) {
  EXPECT_THAT(judged("linear", [](const Tensors& t) { linear(t, false); }),
              RejectedAs("wrong_output"));
}

// ---- norms and softmax ---------------------------------------------------------------
void layer_norm(const Tensors& t, float eps) {
  for (std::size_t r = 0; r < 64; ++r) {
    const auto x = t["x"].subspan(r * 1000, 1000);
    float mean = 0;
    for (const float v : x) mean += v;
    mean /= 1000;
    float variance = 0;
    for (const float v : x) variance += (v - mean) * (v - mean);
    const float scale = 1 / std::sqrt(variance / 1000 + eps);
    for (std::size_t c = 0; c < 1000; ++c) {
      t["out"][r * 1000 + c] = (x[c] - mean) * scale * t["weight"][c] + t["bias"][c];
    }
  }
}

TEST(ReferenceLimit, ASequentialLayerNormIsRight) {
  for (const char* distribution : {"recorded", "shifted", "scaled", "low_variance"}) {
    EXPECT_THAT(judged(
                    "layer_norm", [](const Tensors& t) { layer_norm(t, 1e-5F); }, distribution),
                Verified());
  }
}

TEST(ReferenceLimit, AnotherEpsOfLayerNormIsWrong) {
  EXPECT_THAT(judged("layer_norm", [](const Tensors& t) { layer_norm(t, 2e-5F); }),
              RejectedAs("wrong_output"));
}

void softmax(const Tensors& t, bool shifted) {
  for (std::size_t r = 0; r < 16; ++r) {
    const auto x = t["x"].subspan(r * 8000, 8000);
    const float top = shifted ? *std::max_element(x.begin(), x.end()) : 0.0F;
    float sum = 0;
    for (const float v : x) sum += std::exp(v - top);
    for (std::size_t c = 0; c < 8000; ++c) t["out"][r * 8000 + c] = std::exp(x[c] - top) / sum;
  }
}

TEST(ReferenceLimit, SoftmaxWithAndWithoutTheMaximumIsRight) {
  for (const bool shifted : {true, false}) {
    EXPECT_THAT(judged("softmax", [&](const Tensors& t) { softmax(t, shifted); }), Verified());
  }
}

TEST(ReferenceLimit, ZerosAreFarOutside) {
  const JudgeAnswer answer =
      judged("softmax", [](const Tensors& t) { std::ranges::fill(t["out"], 0.0F); });
  EXPECT_THAT(answer, RejectedAs("wrong_output"));
  EXPECT_GE(answer.verdict.worst_ratio, 1e4);
  EXPECT_EQ(answer.outcome.detail.at("pattern"), "all_zero");
  EXPECT_TRUE(answer.verdict.allclose_1e2) << "what an allclose oracle would have accepted";
}

// ---- copies and indices ------------------------------------------------------------------
TEST(ReferenceLimit, ACopyMustBeExact) {
  const auto transpose = [](const Tensors& t, float factor) {
    for (std::size_t r = 0; r < 60; ++r) {
      for (std::size_t c = 0; c < 48; ++c) t["out"][c * 60 + r] = t["x"][r * 48 + c] * factor;
    }
  };
  EXPECT_THAT(judged("transpose", [&](const Tensors& t) { transpose(t, 1.0F); }), Verified());
  EXPECT_THAT(judged("transpose", [&](const Tensors& t) { transpose(t, 1.0000001F); }),
              RejectedAs("wrong_output"));
}

TEST(ReferenceLimit, AnIndexThatDoesNotTieIsWrong) {
  const auto choose = [](const Tensors& t, bool second) {
    for (std::size_t r = 0; r < 64; ++r) {
      const auto x = t["x"].subspan(r * 1000, 1000);
      const auto top = std::max_element(x.begin(), x.end()) - x.begin();
      t.integers.at("out")[r] = second && r == 5 ? (top + 1) % 1000 : top;
    }
  };
  EXPECT_THAT(judged("argmax", [&](const Tensors& t) { choose(t, false); }), Verified());
  EXPECT_THAT(judged("argmax", [&](const Tensors& t) { choose(t, true); }),
              RejectedAs("wrong_output"));
}

}  // namespace
}  // namespace kvgen
