#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compile/comgr.h"
#include "compile/compiler_log.h"
#include "compile/hiprtc_library.h"
#include "compile/mnemonics.h"

namespace kvgen {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

HiprtcVersion version_of(const std::string& file) {
  auto version = hiprtc_version_of(file);
  EXPECT_TRUE(version.ok()) << file;
  return version.ok() ? std::move(*version) : HiprtcVersion{};
}

TEST(HiprtcVersionOf, IsInTheLibrarysFileName) {
  const HiprtcVersion debian = version_of("/usr/lib/x86_64-linux-gnu/libamdhip64.so.5.2.21153");
  EXPECT_EQ(debian.major, 5);
  EXPECT_EQ(debian.minor, 2);
  EXPECT_EQ(debian.text, "5.2.21153");
  EXPECT_EQ(version_of("/opt/rocm/lib/libhiprtc.so.7.0.70001").major, 7);
  EXPECT_FALSE(hiprtc_version_of("libhiprtc.so").ok());
  EXPECT_FALSE(hiprtc_version_of("libhiprtc.so.7").ok());
}

TEST(HiprtcArchitectures, AreThoseOfItsRelease) {
  EXPECT_THAT(hiprtc_architectures({5, 2, ""}), ElementsAre("gfx908", "gfx90a", "gfx1030"));
  EXPECT_THAT(hiprtc_architectures({6, 0, ""}), Contains("gfx942"));
  EXPECT_THAT(hiprtc_architectures({6, 0, ""}), Not(Contains("gfx1201")));
  EXPECT_THAT(hiprtc_architectures({6, 4, ""}), Contains("gfx1201"));
  EXPECT_THAT(hiprtc_architectures({6, 4, ""}), Not(Contains("gfx950")));
  EXPECT_THAT(hiprtc_architectures({7, 1, ""}), Contains("gfx950"));
}

constexpr const char* kSource = "int a;\n  int b = missing;  \nint c;\n";

TEST(CompilerLog, KeepsTheCandidatesLinesAndNoPathOfTheMachine) {
  const ReadLog log = read_compiler_log(
      "In file included from <built-in>:1:\n"
      "In file included from /var/x/comgr-1/include/hiprtc_runtime.h:1:\n"
      "/var/x/comgr-1/include/kvgen_std.h:9:3: note: expanded from here\n"
      "kernel.hip:2:11: error: use of undeclared 'missing'; see /var/x/lib/y.h or a / b\n"
      "  int b = missing;\n"
      "          ^\n"
      "/var/x/comgr-1/include/kvgen_std.h:9:3: error: 'T' is no type\n"
      "kernel.hip:3:1: note: asked for here\n"
      "lld: error: undefined hidden symbol: f\n"
      "2 errors generated when compiling for gfx90a.\n",
      "kernel.hip", kSource);
  EXPECT_EQ(log.first_error,
            "kernel.hip:2:11: error: use of undeclared 'missing'; see y.h or a / b");
  EXPECT_EQ(log.text,
            "kernel.hip:2:11: error: use of undeclared 'missing'; see y.h or a / b\n"
            "    int b = missing;\n"
            "in a header of kvgen: error: 'T' is no type\n"
            "kernel.hip:3:1: note: asked for here\n"
            "    int c;\n"
            "kernel.hip: error: undefined hidden symbol: f\n");
}

TEST(CompilerLog, KeepsHeadAndTailOfALongOne) {
  std::string said;
  for (int i = 0; i < 5000; ++i) {
    said += "kernel.hip:2:1: error: number " + std::to_string(i) + "\n";
  }
  const ReadLog log = read_compiler_log(said, "kernel.hip", kSource);
  EXPECT_LE(log.text.size(), 17U << 10);
  EXPECT_THAT(log.text, HasSubstr("number 0\n"));
  EXPECT_THAT(log.text, HasSubstr("number 4999\n"));
  EXPECT_THAT(log.text, HasSubstr("bytes left out"));
}

TEST(CompilerLog, HoldsNoErrorWhereNothingWasSaid) {
  EXPECT_EQ(read_compiler_log("Killed\n", "kernel.hip", kSource).first_error, "");
  EXPECT_EQ(read_compiler_log("", "kernel.hip", kSource).text, "");
}

TEST(Mnemonics, CountAlikeWithAndWithoutTheirEncoding) {
  InstructionMix mix;
  for (const char* one : {"v_add_f32", "v_add_f32_e32", "s_waitcnt", "s_cbranch_scc0",
                          "ds_read_b32", "global_load_dwordx4", "v_mfma_f32_32x32x1f32",
                          "s_load_dwordx2", "s_add_u32", "s_endpgm"}) {
    count_mnemonic(one, mix);
  }
  EXPECT_EQ(mix.valu, 2);
  EXPECT_EQ(mix.salu, 1);
  EXPECT_EQ(mix.smem, 1);
  EXPECT_EQ(mix.vmem, 1);
  EXPECT_EQ(mix.lds, 1);
  EXPECT_EQ(mix.mfma, 1);
  EXPECT_EQ(mix.branch, 1);
  EXPECT_EQ(mix.waitcnt, 1);
  EXPECT_EQ(mix.other, 1);
}

// A function of this program, whose own file is the object.
extern "C" __attribute__((noinline, used)) int kvgen_known_function(int x) { return 3 * x + 1; }

TEST(FunctionCode, IsFoundByItsSymbol) {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string object = text.str();
  const std::string_view code = function_code(object, "kvgen_known_function");
  ASSERT_FALSE(code.empty());
  EXPECT_EQ(code,
            std::string_view(reinterpret_cast<const char*>(&kvgen_known_function), code.size()));
  EXPECT_TRUE(function_code(object, "no_such_function").empty());
  EXPECT_TRUE(function_code(object.substr(0, object.size() / 2), "kvgen_known_function").empty());
  EXPECT_TRUE(function_code("not an object", "f").empty());
}

}  // namespace
}  // namespace kvgen
