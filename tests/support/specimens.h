#pragma once

#include <string>

#include "kvgen/model/attempt.h"
#include "kvgen/model/task.h"

namespace kvgen::testing {

// Small values with every field set, for codecs, journals and shards.
Task specimen_task(const std::string& name = "softmax");
Build specimen_build(const std::string& target = "cpu");
Verdict specimen_verdict();
Profile specimen_profile();
Reply specimen_reply(int turn = 0);

// A turn that ended in `kind`; with candidate, builds, verdict and profile as far
// as such a turn gets.
Attempt specimen_attempt(const Task& task, int turn, OutcomeKind kind);

}  // namespace kvgen::testing
