// The plans that docs/contract.md shows are plans.

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "kvgen/plan/plan.h"

namespace kvgen {
namespace {

TEST(Documentation, EveryPlanOfTheContractParses) {
  std::ifstream file(KVGEN_SOURCE_DIR "/docs/contract.md");
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  int plans = 0;
  for (std::size_t at = text.find("```json\n"); at != std::string::npos;
       at = text.find("```json\n", at)) {
    at += std::string("```json\n").size();
    const std::string plan = text.substr(at, text.find("```", at) - at);
    const Checked<Plan> parsed = parse_plan(plan);
    EXPECT_TRUE(parsed.ok()) << parsed.outcome().reason << "\n" << plan;
    ++plans;
  }
  EXPECT_GE(plans, 3);
}

}  // namespace
}  // namespace kvgen
