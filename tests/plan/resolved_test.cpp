#include "kvgen/plan/resolved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kvgen {
namespace {

ResolvedPlan a_plan() {
  ResolvedPlan plan;
  plan.buffers = {{"partial", DType::kFloat32, 64, false}, {"packed", DType::kFloat16, 32, true}};
  ResolvedLaunch launch;
  launch.symbol = "_Z1k";
  launch.name = "k<4>";
  launch.grid[0] = 7;
  launch.block[1] = 3;
  launch.dynamic_lds = 256;
  launch.arguments = {ResolvedPlace{ResolvedPlace::Space::kInput, 1, 8},
                      ResolvedPlace{ResolvedPlace::Space::kBuffer, 0, 64},
                      ResolvedScalar{8, 0xffff'ffff'ffff'ffffU}};
  plan.prepare.push_back(
      {ResolvedFill{{ResolvedPlace::Space::kBuffer, 1, 0}, 32, 2, 0x3c00}, "prepare[0]"});
  plan.run.push_back({launch, "run[0]"});
  plan.run.push_back(
      {ResolvedCopy{
           {ResolvedPlace::Space::kBuffer, 0, 0}, {ResolvedPlace::Space::kOutput, 0, 16}, 64},
       "run[1]"});
  return plan;
}

TEST(ResolvedPlan, SurvivesTheWire) {
  const Json json = to_json(a_plan());
  const auto back = resolved_plan_from(json, "plan");
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(to_json(*back), json);
}

// A JSON pointer into the plan, the value put there, a part of the message.
struct Breach {
  std::string at;
  Json value;
  std::string message;
};

TEST(ResolvedPlan, RefusesWhatCouldHarmTheRunner) {
  for (const Breach& breach : {
           Breach{"/run/0/launch/grid/0", 0, "out of range"},
           Breach{"/run/0/launch/grid/0", -1, "out of range"},
           Breach{"/run/0/launch/grid/1", 65'536, "out of range"},
           Breach{"/run/0/launch/grid", {1, 1}, "3 extents"},
           Breach{"/run/0/launch/block/0", 1025, "out of range"},
           Breach{"/run/0/launch/block", {32, 32, 2}, "1024 threads"},
           Breach{"/run/0/launch/dynamic_lds", -1, "out of range"},
           Breach{"/run/0/launch/dynamic_lds", 1 << 21, "out of range"},
           Breach{"/run/0/launch/symbol", "", "empty"},
           Breach{"/run/0/launch/symbol", std::string("a\0b", 3), "NUL"},
           Breach{"/run/0/launch/arguments/0/input", -1, "index out of range"},
           Breach{"/run/0/launch/arguments/0/offset", -4, "beyond its tensor"},
           Breach{"/run/0/launch/arguments/1/buffer", 2, "index out of range"},
           Breach{"/run/0/launch/arguments/1/offset", 65, "beyond its tensor"},
           Breach{"/run/0/launch/arguments/1/output", 0, "one of input, output, buffer"},
           Breach{"/run/0/launch/arguments/2/bytes", 3, "no scalar"},
           Breach{"/run/0/launch/arguments/2/bytes", 4, "no scalar"},
           Breach{"/run/0/launch/arguments/2/bits", -1, "non-negative"},
           Breach{"/prepare/0/fill/bytes", 33, "out of range"},
           Breach{"/prepare/0/fill/bytes", 34, "beyond its tensor"},
           Breach{"/prepare/0/fill/bytes", -2, "out of range"},
           Breach{"/prepare/0/fill/element_bytes", 0, "out of range"},
           Breach{"/prepare/0/fill/bits", 0x10000, "out of range"},
           Breach{"/prepare/0/fill/to", {{"input", 0}}, "writes to an input"},
           Breach{"/run/1/copy/bytes", 65, "beyond its tensor"},
           Breach{"/run/1/copy/bytes", -1, "out of range"},
           Breach{"/run/1/copy/to", {{"input", 0}}, "writes to an input"},
           Breach{"/run/1/fill", Json::object(), "one of launch, fill, copy"},
           Breach{"/run/1/extra", 1, "not a known key"},
           Breach{"/buffers/0/bytes", -1, "out of range"},
           Breach{"/buffers/0/bytes", 1LL << 41, "out of range"},
           Breach{"/buffers/0/dtype", "float31", "unknown"},
           Breach{"/buffers", 3, "list"},
           Breach{"/run", Json::object(), "list"},
       }) {
    Json json = to_json(a_plan());
    json[Json::json_pointer(breach.at)] = breach.value;
    const auto back = resolved_plan_from(json, "plan");
    ASSERT_FALSE(back.ok()) << breach.at;
    EXPECT_THAT(back.error().message(), testing::HasSubstr(breach.message)) << breach.at;
  }
}

TEST(ResolvedPlan, MustFitTheArenas) {
  const ResolvedPlan plan = a_plan();
  EXPECT_TRUE(check_within(plan, {0, 8}, {80}).ok());
  EXPECT_FALSE(check_within(plan, {0, 7}, {80}).ok());
  EXPECT_FALSE(check_within(plan, {8}, {80}).ok());
  EXPECT_FALSE(check_within(plan, {0, 8}, {79}).ok());
  EXPECT_FALSE(check_within(plan, {0, 8}, {}).ok());
}

}  // namespace
}  // namespace kvgen
