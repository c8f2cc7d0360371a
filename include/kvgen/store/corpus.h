#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kvgen/base/clock.h"
#include "kvgen/base/files.h"
#include "kvgen/base/result.h"
#include "kvgen/model/attempt.h"
#include "kvgen/model/task.h"

namespace kvgen {

// An attempt with everything that was recorded of it.
struct StoredAttempt {
  std::string id;      // of the attempt, as it was recorded
  std::string sample;  // id of its sample, "" when it is none
  Task task;
  Attempt attempt;                  // builds, verdict and profile included
  std::vector<std::string> faults;  // what no longer fits the hash it is named by
};

// What a run has recorded, read from its journal or from shards, whoever wrote
// them. Nothing is changed, and a run in progress is not disturbed.
class Corpus {
 public:
  // `from`: a RUN (its journal, else its shards), a folder of shards, or one
  // shard, whose neighbours are read with it. kNotFound when it is none of these.
  static Result<std::unique_ptr<Corpus>> open(Files& files, const Clock& clock,
                                              const fs::path& from);
  virtual ~Corpus() = default;

  // By the id of an attempt or of a sample, by a candidate's hash, or by a prefix
  // of one of them. kNotFound, or kConflict when several attempts begin so.
  virtual Result<StoredAttempt> attempt(const std::string& id) = 0;

  // By hash, a prefix of it, or name.
  virtual Result<Task> task(const std::string& id) = 0;
};

}  // namespace kvgen
