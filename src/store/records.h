#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/model/attempt.h"
#include "kvgen/model/task.h"

namespace kvgen {

inline constexpr int kRecordSchema = 1;

enum class RecordKind { kTask, kAttempt, kBuild, kVerdict, kProfile, kSample };
inline constexpr RecordKind kRecordKinds[] = {RecordKind::kTask,    RecordKind::kAttempt,
                                              RecordKind::kBuild,   RecordKind::kVerdict,
                                              RecordKind::kProfile, RecordKind::kSample};
std::string_view to_string(RecordKind kind);

// Turns a run's tasks and attempts into records (configs/schema/*.schema.json).
//
// Ids are hashes of what identifies a record, never of a time, so that records
// of two runs with equal results differ in profiles only. A build of the same
// candidate by the same compiler is written once, and so is a task's sample of
// the same candidate.
class RecordWriter {
 public:
  using Sink = std::function<Result<void>(RecordKind, const Json&)>;
  explicit RecordWriter(Sink sink) : sink_(std::move(sink)) {}

  // A task and its finished attempts, by turn.
  Result<void> write(const Task& task, const std::vector<Attempt>& attempts);

 private:
  Result<void> write_attempt(const Attempt& attempt);
  Result<std::vector<std::string>> write_builds(const Attempt& attempt);

  Sink sink_;
  std::set<std::string> written_builds_;
  std::set<std::string> written_samples_;
};

}  // namespace kvgen
