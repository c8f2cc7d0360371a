#include <gtest/gtest.h>

#include "tests/compile/support.h"

namespace kvgen::test {
namespace {

// What a hostile text must come to is tests/compile/hostile and worker_test.cpp.

// With limits that no compile keeps, the canary fails too: then it is this machine.
TEST(CompileCanary, FailureOfAGoodKernelIsNotBlamedOnTheCandidate) {
  CompileLimits limits;
  limits.object_bytes = 16;
  CompileService service(engine(), limits);
  const auto answer =
      service.compile({"__global__ void k(float* x) { x[0] = 1; }\n", "cpu", {"k"}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kWorker);
  EXPECT_TRUE(answer.error().retryable());
}

}  // namespace
}  // namespace kvgen::test
