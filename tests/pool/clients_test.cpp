#include "kvgen/pool/clients.h"

#include "tests/pool/fixture.h"

namespace kvgen {
namespace {

using ::testing::HasSubstr;

class CompilerClient : public PoolTest {
 protected:
  WorkerGroup group_{loop_.get_executor(), fake(), 1, null_log()};
  std::unique_ptr<Compiler> compiler_ = make_compiler(group_);
};

TEST_F(CompilerClient, GivesTheBuildAndItsObject) {
  auto compiled = testing::await(loop_, compiler_->build({"source", "gfx942", {"k<1>"}}));
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  EXPECT_TRUE(compiled->build.usable());
  EXPECT_NE(compiled->build.kernel("k<1>"), nullptr);
  EXPECT_NE(compiled->object, nullptr);
}

TEST_F(CompilerClient, ASourceThatKillsEveryCompilerIsTheCandidatesFault) {
  auto compiled = testing::await(loop_, compiler_->build({"DIE", "gfx942", {"k"}}));
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  ASSERT_TRUE(compiled->build.failure);
  EXPECT_EQ(compiled->build.failure->kind, OutcomeKind::kCompileError);
  EXPECT_THAT(compiled->build.failure->reason, HasSubstr("SIGSEGV"));
  auto next = testing::await(loop_, compiler_->build({"source", "gfx942", {"k"}}));
  EXPECT_TRUE(next.ok() && next->build.usable());
}

}  // namespace
}  // namespace kvgen
