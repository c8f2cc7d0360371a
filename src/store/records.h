#pragma once

#include <functional>
#include <optional>
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

enum class RecordKind { kTask, kAttempt, kBuild, kVerdict, kProfile, kSample, kRefusal };
inline constexpr RecordKind kRecordKinds[] = {
    RecordKind::kTask,    RecordKind::kAttempt, RecordKind::kBuild,  RecordKind::kVerdict,
    RecordKind::kProfile, RecordKind::kSample,  RecordKind::kRefusal};
std::string_view to_string(RecordKind kind);

// The id of the sample that a verified candidate of a task is.
std::string sample_id(const std::string& task_hash, const std::string& candidate_hash);

// Turns a run's tasks and attempts into records (configs/schema/*.schema.json).
//
// Ids are hashes of what identifies a record, never of a time, so that records
// of two runs with equal results differ in profiles only. A build of the same
// candidate by the same compiler is written once, and so is a task's sample of
// the same candidate.
class RecordWriter {
 public:
  using Sink = std::function<Result<void>(RecordKind, const Json&)>;
  // The text of a sample as an extension, or none; derived from the attempt alone.
  using ExtensionOf = std::function<std::optional<std::string>(const Task&, const Attempt&)>;
  explicit RecordWriter(Sink sink, ExtensionOf extension_of = nullptr)
      : sink_(std::move(sink)), extension_of_(std::move(extension_of)) {}

  // A task and its finished attempts, by turn.
  Result<void> write(const Task& task, const std::vector<Attempt>& attempts);

  // A task that was not worked on, and a source that did not become one.
  Result<void> write_refused(const std::string& task_hash, const std::string& mark);
  Result<void> write_rejected(const std::string& source, const std::string& reason);

 private:
  Result<void> write_attempt(const Task& task, const Attempt& attempt);
  Result<std::vector<std::string>> write_builds(const Attempt& attempt);

  Sink sink_;
  ExtensionOf extension_of_;
  std::set<std::string> written_builds_;
  std::set<std::string> written_samples_;
};

}  // namespace kvgen
