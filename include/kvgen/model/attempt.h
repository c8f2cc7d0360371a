#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/model/build.h"
#include "kvgen/model/candidate.h"
#include "kvgen/model/outcome.h"
#include "kvgen/model/profile.h"
#include "kvgen/model/verdict.h"

namespace kvgen {

// One turn of one task: from the request to the verdict. Failed turns are kept too.
struct Attempt {
  std::string task_hash;
  int turn = 0;  // from 0
  std::optional<Reply> reply;
  std::optional<Candidate> candidate;
  Json normalised_plan;       // null until the plan was read
  std::vector<Build> builds;  // the device's and each gate's
  std::optional<Verdict> verdict;
  std::optional<Profile> profile;
  Outcome outcome;
  std::string parent;  // id of the attempt that this one goes on from, or ""
  Json card;           // the feedback on this attempt, null without
  // Requests for this reply whose answers were lost on the way, and perhaps paid.
  int possibly_bought_twice = 0;

  // Names the attempt: the same task, turn and reply give the same id.
  [[nodiscard]] std::string id() const;
};

Json to_json(const Attempt& attempt);
Result<Attempt> attempt_from(const Json& json, const std::string& where);

}  // namespace kvgen
