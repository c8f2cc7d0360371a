#include "kvgen/pipeline/gate_compiler.h"

#include <gmock/gmock.h>

#include "pipeline/gate.h"
#include "tests/support/fake_stages.h"
#include "tests/support/loop.h"
#include "tests/support/specimens.h"

namespace kvgen {
namespace {

using ::testing::ElementsAre;
using testing::FakeCompiler;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GateCompilers : public ::testing::Test {
 protected:
  GateCompilers() {
    clang_.answer = [this](const CompileRequest& request) -> Result<Compiled> {
      Build build = testing::specimen_build(request.target);
      build.failure = clang_failure_;
      return Compiled{build, nullptr, std::nullopt};
    };
    hiprtc_.answer = [this](const CompileRequest& request) -> Result<Compiled> {
      hiprtc_source_ = request.source;
      if (broken_) return Error(Code::kWorker, "it is gone");
      Build build = testing::specimen_build(request.target);
      build.compiler = "hiprtc";
      build.tokens_hash.clear();
      build.failure = hiprtc_failure_;
      if (build.failure) build.kernels.clear();
      for (KernelInfo& kernel : build.kernels) {
        kernel.parameters.clear();
        kernel.facts->vgprs = 77;
      }
      return Compiled{build, nullptr, std::nullopt};
    };
  }

  Compiled build(const std::string& version, const std::string& target = "gfx90a") {
    GateCompiler gate(clang_, HiprtcGate{hiprtc_, version, {"gfx90a"}});
    auto built = testing::await(loop_, gate.build({"text", target, {"k"}}));
    EXPECT_TRUE(built.ok());
    return std::move(*built);
  }

  static Outcome rejection() {
    return {OutcomeKind::kCompileError, Stage::kCompile, "no such builtin", Json::object()};
  }

  boost::asio::io_context loop_;
  FakeCompiler clang_;
  FakeCompiler hiprtc_;
  std::optional<Outcome> clang_failure_;
  std::optional<Outcome> hiprtc_failure_;
  bool broken_ = false;
  std::string hiprtc_source_;
};

TEST_F(GateCompilers, BothAreRecordedWhereBothExist) {
  const Compiled compiled = build("5.2.21153");
  ASSERT_TRUE(compiled.second);
  EXPECT_EQ(compiled.build.compiler, "clang");
  EXPECT_EQ(compiled.second->compiler, "hiprtc");
  EXPECT_EQ(compiled.second->tokens_hash, compiled.build.tokens_hash);
  const KernelInfo& kernel = compiled.second->kernels.at(0);
  EXPECT_EQ(kernel.facts->vgprs, 77);
  EXPECT_EQ(kernel.parameters.size(), compiled.build.kernels.at(0).parameters.size());
  EXPECT_EQ(hiprtc_source_, compiled.build.device_source);
  EXPECT_EQ(pipeline::gate({compiled.build, *compiled.second}), std::nullopt);
}

TEST_F(GateCompilers, AnUnknownArchitectureNeverReachesHiprtc) {
  EXPECT_FALSE(build("5.2.21153", "gfx942").second);
  EXPECT_THAT(hiprtc_.targets, IsEmpty());
}

TEST_F(GateCompilers, WhatClangRejectsNeverReachesHiprtc) {
  clang_failure_ = rejection();
  EXPECT_FALSE(build("7.0.1").second);
  EXPECT_THAT(hiprtc_.targets, IsEmpty());
}

TEST_F(GateCompilers, WhatOnlyAnOldHiprtcLacksRejectsNobody) {
  hiprtc_failure_ = rejection();
  const Compiled compiled = build("5.2.21153");
  ASSERT_TRUE(compiled.second && compiled.second->gate_unavailable);
  EXPECT_THAT(*compiled.second->gate_unavailable, HasSubstr("no such builtin"));
  EXPECT_TRUE(compiled.second->failure);
  EXPECT_EQ(pipeline::gate({compiled.build, *compiled.second}), std::nullopt);
}

TEST_F(GateCompilers, WhatACurrentHiprtcRejectsIsRejected) {
  hiprtc_failure_ = rejection();
  const Compiled compiled = build("6.4.43482");
  ASSERT_TRUE(compiled.second);
  EXPECT_FALSE(compiled.second->gate_unavailable);
  const auto outcome = pipeline::gate({compiled.build, *compiled.second});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->kind, OutcomeKind::kCompileError);
}

TEST_F(GateCompilers, ABrokenHiprtcRejectsNobody) {
  broken_ = true;
  const Compiled compiled = build("7.0.1");
  ASSERT_TRUE(compiled.second && compiled.second->gate_unavailable);
  EXPECT_THAT(*compiled.second->gate_unavailable, HasSubstr("it is gone"));
  EXPECT_EQ(pipeline::gate({compiled.build, *compiled.second}), std::nullopt);
}

TEST_F(GateCompilers, WithoutHiprtcClangDecides) {
  GateCompiler gate(clang_, std::nullopt);
  auto built = testing::await(loop_, gate.build({"text", "gfx90a", {"k"}}));
  ASSERT_TRUE(built.ok());
  EXPECT_FALSE(built->second);
}

}  // namespace
}  // namespace kvgen
