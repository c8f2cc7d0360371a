#include "pipeline/launch_facts.h"

#include <gmock/gmock.h>

namespace kvgen {
namespace {

ResolvedStep launch(const std::string& symbol, std::int64_t blocks, std::int64_t threads,
                    std::int64_t lds) {
  ResolvedLaunch launch;
  launch.symbol = symbol;
  launch.grid[0] = blocks;
  launch.block[0] = threads;
  launch.dynamic_lds = lds;
  return {launch, "run[0]"};
}

TEST(LaunchFacts, OccupancyIsThatOfTheLaunchWithMostThreads) {
  Build build;
  build.target = "gfx942";
  KernelInfo kernel;
  kernel.symbol = "k";
  kernel.facts = KernelFacts{.vgprs = 32, .sgprs = 16};
  build.kernels = {kernel, kernel};
  build.kernels[1].symbol = "unused";
  ResolvedPlan plan;
  plan.run = {launch("k", 1, 1024, 0), launch("k", 1000, 64, 32768)};
  pipeline::take_launches(plan, build);
  ASSERT_TRUE(build.kernels[0].facts->occupancy);
  EXPECT_EQ(build.kernels[0].facts->occupancy->threads, 64);
  EXPECT_EQ(build.kernels[0].facts->occupancy->waves, 1);
  EXPECT_EQ(build.kernels[0].facts->occupancy->limited_by, "lds");
  EXPECT_FALSE(build.kernels[1].facts->occupancy);
}

}  // namespace
}  // namespace kvgen
