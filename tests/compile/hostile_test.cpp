#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/compile/support.h"

namespace kvgen::test {
namespace {

using testing::HasSubstr;

// Limits that a good kernel is far from and that end a test soon.
CompileLimits tight() {
  CompileLimits limits;
  limits.cpu_s = 3;
  limits.wall_ms = 60'000;
  limits.memory_bytes = 1ULL << 30;
  return limits;
}

std::string kernel(const std::string& value) {
  return "__global__ void k(float* x) { x[0] = " + value + "; }\n";
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  all.reserve(text.size() * static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string macro_bomb() {
  std::string text = "#define A0 x[1] + x[2]\n";
  for (int i = 1; i < 31; ++i) {
    const std::string before = "A" + std::to_string(i - 1);
    text += "#define A" + std::to_string(i) + " " + before + " + " + before + "\n";
  }
  return text + kernel("A30");
}

std::string exponential_templates() {
  return "template <int N, int M> struct T {\n"
         "  static const int v = sizeof(T<N - 1, M * 2>) + sizeof(T<N - 1, M * 2 + 1>);\n"
         "  typename T<N - 1, (M * 2) % 1000003>::type a;\n"
         "  typename T<N - 1, (M * 2 + 1) % 1000003>::type b;\n"
         "  typedef int type;\n};\n"
         "template <int M> struct T<0, M> { typedef int type; };\n" +
         kernel("sizeof(T<60, 1>)");
}

struct Hostile {
  std::string name;
  std::string source;
  std::string reason;  // part of it; all are compile_error
};

class HostileSource : public testing::TestWithParam<Hostile> {};

TEST_P(HostileSource, IsTheCandidatesFailureAndTheNextCompileIsRight) {
  const Answer answer = compile(GetParam().source, "cpu", {"k"}, tight());
  EXPECT_EQ(kind_of(answer.build), "compile_error");
  ASSERT_TRUE(answer.build.failure.has_value());
  EXPECT_THAT(answer.build.failure->reason, HasSubstr(GetParam().reason));
  EXPECT_LE(answer.build.diagnostics.size(), 17U << 10);
  const Answer next = compile(kernel("2.0f"), "cpu", {"k"}, tight());
  EXPECT_EQ(kind_of(next.build), "usable");
  EXPECT_FALSE(next.object.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Table, HostileSource,
    testing::ValuesIn(std::vector<Hostile>{
        {"NestedNot", kernel(repeated("!", 200'000) + "x[1]"), "crashed"},
        {"LongSum", kernel(repeated("x[1]+", 100'000) + "1"), "crashed"},
        {"DeepParentheses", kernel(repeated("(", 400'000) + "1" + repeated(")", 400'000)), ""},
        {"DeepBraces", kernel("1;" + repeated("{", 200'000) + repeated("}", 200'000)), "nesting"},
        {"MacroBomb", macro_bomb(), "too much"},
        {"ExponentialTemplates", exponential_templates(), ""},
        {"EndlessTemplates",
         "template <int N> struct T { static const int v = T<N + 1>::v; };\n" + kernel("T<0>::v"),
         "maximum depth"},
        {"EndlessConstexpr",
         "constexpr int f(int n) { int s = 0; while (true) s ^= n++; return s; }\n" +
             kernel("0; constexpr int v = f(1); x[1] = v"),
         ""},
        {"DebugCrash", "#pragma clang __debug crash\n" + kernel("1"), "__debug crash"},
        {"DebugFatal", "#pragma clang __debug llvm_fatal_error\n" + kernel("1"), "__debug"},
        {"DebugOverflow", "#pragma clang __debug overflow_stack\n" + kernel("1"), "__debug"},
        {"HugeTable",
         "__device__ const float t[1 << 27] = {1};\n"
         "__global__ void k(float* x, int i) { x[0] = t[i]; }\n",
         ""},
        {"LargeSource", "/*" + std::string(2U << 20, 'x') + "*/" + kernel("1"), "source is larger"},
        {"IncludesItself", "#include \"kernel.hip\"\n" + kernel("1"), "#include"},
        {"NulByte", kernel("1") + std::string(1, '\0') + "evil", "NUL"},
        {"IncludesDevice", "#include \"/dev/zero\"\n" + kernel("1"), "#include"},
        {"IncludesParent", "#include \"../../../../etc/hostname\"\n" + kernel("1"), "#include"}}),
    [](const testing::TestParamInfo<Hostile>& info) { return info.param.name; });

TEST(HostileAssembly, EndlessRepetitionIsTheCandidatesFailure) {
  const Answer answer = compile(kernel("0; asm volatile(\".rept 1000000000\\n s_nop 0\\n .endr\")"),
                                "gfx942", {"k"}, tight());
  EXPECT_EQ(kind_of(answer.build), "compile_error");
  EXPECT_EQ(kind_of(compile(kernel("1"), "gfx942", {"k"}).build), "usable");
}

// With limits that no compile keeps, the canary fails too: then it is this machine.
TEST(CompileCanary, FailureOfAGoodKernelIsNotBlamedOnTheCandidate) {
  CompileLimits limits;
  limits.object_bytes = 16;
  CompileService service(engine(), limits);
  const auto answer = service.compile({kernel("1"), "cpu", {"k"}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kWorker);
  EXPECT_TRUE(answer.error().retryable());
}

}  // namespace
}  // namespace kvgen::test
