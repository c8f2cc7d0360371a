#include <gmock/gmock.h>

#include <sstream>

#include "cli.h"

namespace kvgen::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What `kvgen new-task` says before it asks for a name.
std::string said_with(std::vector<std::string> variables) {
  std::ostringstream out;
  std::ostringstream err;
  World world = real_world();
  world.out = &out;
  world.err = &err;
  world.variables = std::move(variables);
  world.environment = [](const std::string&) { return std::nullopt; };
  std::string words[] = {"kvgen", "new-task"};
  char* arguments[] = {words[0].data(), words[1].data(), nullptr};
  EXPECT_NE(run_cli(2, arguments, world), 0);
  return err.str();
}

TEST(Variables, ThatNoOptionHasAreToldWithTheNearest) {
  EXPECT_THAT(said_with({"HOME", "KVGEN_ATTEMPT"}),
              HasSubstr("KVGEN_ATTEMPT is no option and counts for nothing; did you mean "
                        "\"KVGEN_ATTEMPTS\"?"));
}

TEST(Variables, OfOptionsTheKeyAndTheProjectsScriptsAreKnown) {
  EXPECT_THAT(said_with({"KVGEN_ATTEMPTS", "KVGEN_BASE_URL", "KVGEN_API_KEY", "KVGEN_CONFIG",
                         "KVGEN_BUILD", "KVGEN_NO_PROFILE"}),
              Not(HasSubstr("counts for nothing")));
}

}  // namespace
}  // namespace kvgen::tools
