#include "kvgen/plan/occupancy.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace kvgen {
namespace {

KernelFacts with(int vgprs, int lds) {
  KernelFacts facts;
  facts.vgprs = vgprs;
  facts.lds_bytes = lds;
  facts.sgprs = 20;
  facts.wave_size = 64;
  return facts;
}

TEST(OccupancyTable, AgreesWithLlvm) {
  std::ifstream file(KVGEN_SOURCE_DIR "/tests/plan/cases/occupancy.txt");
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    char arch[16];
    KernelFacts facts;
    int threads = 0;
    int waves = 0;
    ASSERT_EQ(
        std::sscanf(line.c_str(), "%15s vgprs=%d agprs=%d sgprs=%d lds=%d threads=%d => %d", arch,
                    &facts.vgprs, &facts.agprs, &facts.sgprs, &facts.lds_bytes, &threads, &waves),
        7)
        << line;
    facts.wave_size = std::string(arch).starts_with("gfx9") ? 64 : 32;
    const auto occupancy = occupancy_of(arch, facts, threads, 0);
    ASSERT_TRUE(occupancy) << line;
    EXPECT_EQ(occupancy->waves, waves) << line << ", limited by " << occupancy->limited_by;
    ++cases;
  }
  EXPECT_GT(cases, 200);
}

TEST(Occupancy, SaysWhatLimitsIt) {
  EXPECT_EQ(occupancy_of("gfx942", with(24, 0), 256, 0)->limited_by, "waves");
  EXPECT_EQ(occupancy_of("gfx942", with(128, 0), 256, 0)->limited_by, "vgprs");
  EXPECT_EQ(occupancy_of("gfx942", with(24, 32768), 256, 0)->limited_by, "lds");
  KernelFacts many = with(24, 0);
  many.sgprs = 106;
  EXPECT_EQ(occupancy_of("gfx942", many, 256, 0)->limited_by, "sgprs");
}

TEST(Occupancy, CountsTheLaunchsBlockAndDynamicLds) {
  EXPECT_EQ(occupancy_of("gfx942", with(24, 0), 256, 65536)->waves, 1);
  EXPECT_EQ(occupancy_of("gfx942", with(24, 0), 1024, 65536)->waves, 4);
  EXPECT_EQ(occupancy_of("gfx942", with(24, 1024), 64, 0)->waves, 8);
}

TEST(Occupancy, IsUnknownForWhatIsNotInTheTable) {
  EXPECT_FALSE(occupancy_of("cpu", with(24, 0), 256, 0));
  KernelFacts wide = with(24, 0);
  EXPECT_FALSE(occupancy_of("gfx1100", wide, 256, 0));
  EXPECT_FALSE(occupancy_of("gfx942", wide, 0, 0));
}

}  // namespace
}  // namespace kvgen
