#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"
#include "tools/benchmarks/hostile.h"

namespace kvgen::bench {
namespace {

// The real workers, closed in as they are in a run.
class HostileTexts : public ::testing::TestWithParam<const char*> {};

TEST_P(HostileTexts, IsBoundedBlamedAndForgotten) {
  const testing::TempFolder folder;
  HostileOptions options;
  options.compiler = GetParam();
  options.programs = KVGEN_BINARY_DIR "/bin";
  options.scratch = folder.path();
  options.cpu_seconds = 1;
  const auto texts = hostile_texts(options.texts);
  ASSERT_TRUE(texts.ok()) << texts.error().message();
  options.compiles = 2 * static_cast<int>(texts->size());  // the first pass is the base
  const auto soak = soak_hostile(options);
  ASSERT_TRUE(soak.ok()) << soak.error().message();
  if (!soak->there) GTEST_SKIP() << "this machine has no " << GetParam();
  EXPECT_TRUE(is_clean(*soak)) << render(*soak);
}

// hiprtc takes four times as long: `tools/bench hostile --compiler hiprtc`.
INSTANTIATE_TEST_SUITE_P(Workers, HostileTexts, ::testing::Values("clang"),
                         [](const auto& info) { return std::string(info.param); });

TEST(HostileGenerator, WritesOutNumbersBracesAndBytes) {
  EXPECT_EQ(written_out("@repeat(2){g@i=g@j;@line}."), "g0=g1;\ng1=g2;\n.");
  EXPECT_EQ(written_out("@repeat(3){{}@repeat(3){@close}"), "{{{}}}");
  EXPECT_EQ(written_out("a@nul"), std::string("a\0", 2));
}

TEST(HostileExpectation, IsAKindAndAPartOfTheReason) {
  EXPECT_TRUE(is_expected("compile_error too much", "compile_error", "it takes too much time"));
  EXPECT_FALSE(is_expected("compile_error too much", "compile_error", "the compiler crashed"));
  EXPECT_TRUE(is_expected("usable or too much", "usable", ""));
  EXPECT_TRUE(is_expected("usable or too much", "compile_error", "too much memory"));
  EXPECT_FALSE(is_expected("compile_error", "usable", ""));
}

}  // namespace
}  // namespace kvgen::bench
