#include "kvgen/profile/roofline.h"

#include <gmock/gmock.h>

#include "kvgen/base/files.h"

namespace kvgen {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Roofline, TheFloorIsBytesOverTheRateOfTheCoresUsed) {
  const Roofline gpu{"gpu", 4e12, false};
  EXPECT_DOUBLE_EQ(floor_ns(4'000'000, gpu, 1), 1000);
  const Roofline cpu{"cpu", 1e12, true};
  EXPECT_DOUBLE_EQ(floor_ns(4'000'000, cpu, 4), 1000);
  EXPECT_DOUBLE_EQ(floor_ns(4'000'000, cpu, 0), 4000);
}

TEST(Roofline, ATimeBelowTheFloorIsSuspect) {
  Profile profile;
  profile.candidate = {100, 0, 90, {100, 90}};
  flag_below_floor(profile, 90);
  EXPECT_THAT(profile.flags, IsEmpty());
  flag_below_floor(profile, 91);
  EXPECT_THAT(profile.flags, ElementsAre("floor_suspect"));
  Profile untimed;
  flag_below_floor(untimed, 91);
  EXPECT_THAT(untimed.flags, IsEmpty());
}

TEST(Roofline, EveryDeviceFileIsRead) {
  const fs::path folder = fs::path(KVGEN_SOURCE_DIR) / "configs/devices";
  const auto names = real_files().list(folder);
  ASSERT_TRUE(names.ok());
  EXPECT_FALSE(names->empty());
  for (const std::string& name : *names) {
    const auto json = parse_json(*real_files().read(folder / name, 1 << 16));
    ASSERT_TRUE(json.ok()) << name;
    const auto limits = roofline_from(*json, name);
    ASSERT_TRUE(limits.ok()) << limits.error().message();
    EXPECT_EQ(limits->device + ".json", name);
  }
}

TEST(Roofline, ADeviceWithoutARateIsRefused) {
  EXPECT_FALSE(roofline_from({{"device", "x"}, {"bytes_per_second", 0}}, "x.json").ok());
  EXPECT_FALSE(roofline_from({{"device", "x"}}, "x.json").ok());
}

}  // namespace
}  // namespace kvgen
