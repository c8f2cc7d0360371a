#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kvgen/base/files.h"
#include "kvgen/ingest/ingester.h"
#include "kvgen/stage/task_source.h"
#include "kvgen/store/run_journal.h"

namespace kvgen::tools {

// A run's sources as tasks, read or captured when somebody asks for the next one. What an
// earlier process finished is passed over without being read, so that a run goes on at once;
// of sources that are the same task the first counts. Replies that an earlier process left unjudged
// wait until somebody can prove them, so that a server has work while workers start.
class TaskQueue final : public TaskSource {
 public:
  struct Doors {
    // Turns a source into a task, with whatever workers that needs.
    std::function<Awaitable<Result<IngestedSource>>(const Source&)> take;
    // Whether workers have started.
    std::function<bool()> can_prove;
    // Told of each source that became no task.
    std::function<void(const IngestedSource&)> rejected;
  };
  TaskQueue(std::vector<Source> sources, RunJournal& journal, Doors doors);

  Awaitable<Result<std::optional<Task>>> next() override;

  // What became of sources is journalled as they are taken, on a full disk later: at the latest by
  // this, to be called when the run is over.
  Result<void> write();

  [[nodiscard]] std::size_t size() const { return sources_.size(); }
  // Tasks that an earlier process finished, in the order of their sources.
  [[nodiscard]] const std::vector<std::string>& finished() const { return finished_; }
  [[nodiscard]] std::size_t rejected() const { return rejected_; }
  // Sources that nobody asked for yet.
  [[nodiscard]] std::size_t remaining() const { return sources_.size() - at_ + later_.size(); }
  [[nodiscard]] std::size_t given() const { return given_; }

 private:
  // The next one that somebody has to work on; null when there is none.
  const Source* next_source();
  Result<void> read_journal();
  Result<void> write_what_fits();

  std::vector<Source> sources_;
  RunJournal& journal_;
  Doors doors_;
  // By stamp, as they were when the first task was asked for.
  bool journal_read_ = false;
  std::unordered_map<std::string, std::string> finished_by_stamp_;
  std::unordered_set<std::string> unjudged_;
  std::deque<const Source*> later_;
  std::deque<std::function<Result<void>()>> unwritten_;
  std::size_t at_ = 0;
  std::size_t rejected_ = 0;
  std::size_t given_ = 0;
  std::set<std::string> seen_;  // hashes of tasks given or passed over
  std::vector<std::string> finished_;
};

}  // namespace kvgen::tools
