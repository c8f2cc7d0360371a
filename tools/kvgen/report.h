#pragma once

#include <string>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/model/attempt.h"
#include "kvgen/pipeline/pipeline.h"

// What people read. All of it fits 80 columns.

namespace kvgen::tools {

struct Tally {
  int verified = 0;
  int rejected = 0;
  int not_judged = 0;  // not_judged_here, refused tasks, and errors of ours
  int left = 0;        // for a later run
};
Tally tally(const std::vector<TaskResult>& results);

// The table of tasks: outcome, time, speedup and its variant. Of very many the counts of each
// outcome, the fastest, those that were not judged, an example of each fault, and where the
// others are: in `run`.
std::string results_table(const std::vector<TaskResult>& results, const std::string& run);
Json results_json(const std::vector<TaskResult>& results);

}  // namespace kvgen::tools
