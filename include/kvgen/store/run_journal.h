#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kvgen/base/clock.h"
#include "kvgen/base/files.h"
#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/stage/journal.h"

namespace kvgen {

struct RunOptions {
  fs::path folder;  // RUN; made when missing
  // What decides the run's results (generator, device, attempts, policy): stored
  // when the run begins, compared key by key when it is resumed.
  Json settings = Json::object();
  bool paid_generator = false;  // a reply reaches the disk before it is used
};

struct RejectedSource {
  std::string source;
  std::string reason;
};

// A file under RUN/shards, as the journal and the manifest know it.
struct ShardEntry {
  std::string kind;  // "task", "attempt", "build", "verdict", "profile", "sample"
  std::string file;  // name inside RUN/shards
  std::int64_t records = 0;
  std::int64_t bytes = 0;  // compressed
  std::string sha256;      // of the compressed file
};

// The journal of one run: RUN/journal.sqlite (WAL), held by one kvgen at a time
// through RUN/lock. Every call outlives this process when it returns, a kept reply
// also a loss of power. Blocking; one thread.
//
// Errors: kConflict when another kvgen holds RUN or the settings differ (each one
// named), kInvalid when the file is not a journal or is damaged, kFull, kDenied.
class RunJournal : public Journal {
 public:
  // Begins a run, or goes on with one that is there. An empty journal beside a run's
  // shards or tasks has lost them: kInvalid.
  static Result<std::unique_ptr<RunJournal>> open(RunOptions options, Files& files,
                                                  const Clock& clock);
  // The settings of the run in `folder`, read without a look at the rest; none when there is none.
  static Result<std::optional<Json>> settings_in(const fs::path& folder, Files& files);
  // Opens a run to read it, whatever its settings, also while another kvgen is at
  // work on it. Whatever writes is then kDenied.
  static Result<std::unique_ptr<RunJournal>> open_existing(const fs::path& folder, Files& files,
                                                           const Clock& clock);

  [[nodiscard]] virtual const fs::path& folder() const = 0;
  [[nodiscard]] virtual bool resumed() const = 0;
  [[nodiscard]] virtual const Json& settings() const = 0;

  virtual Result<std::vector<std::string>> task_hashes() = 0;  // by name, then hash
  virtual Result<Task> task(const std::string& hash) = 0;
  virtual Result<std::string> task_name(const std::string& hash) = 0;
  virtual Result<std::vector<RejectedSource>> rejected_sources() = 0;  // by source

  // How many sources the run has, for `status`: they become tasks one by one.
  virtual Result<void> expect_sources(std::size_t count) = 0;
  // Which task a source became; `stamp` names the source as it is, and changes with it.
  virtual Result<void> note_source(const std::string& stamp, const std::string& task_hash) = 0;
  // The finished tasks of such sources, by stamp.
  virtual Result<std::unordered_map<std::string, std::string>> finished_sources() = 0;

  // Stamps of sources whose task has a reply that an earlier process left unjudged.
  virtual Result<std::unordered_set<std::string>> unjudged_sources() = 0;

  // A task that the run does not work on, with the mark that says why.
  virtual Result<void> refuse_task(const std::string& hash, const std::string& mark) = 0;
  virtual Result<std::optional<std::string>> refused(const std::string& hash) = 0;

  // The latest error of ours, for `status`.
  virtual Result<void> note_error(const std::string& task, const std::string& message) = 0;

  // Requests whose answers were lost on the way or with a process: perhaps paid twice.
  virtual Result<std::int64_t> possibly_bought_twice() = 0;

  // Replaces what is registered.
  virtual Result<void> register_shards(const std::vector<ShardEntry>& shards) = 0;
  virtual Result<std::vector<ShardEntry>> shards() = 0;  // by file
};

}  // namespace kvgen
