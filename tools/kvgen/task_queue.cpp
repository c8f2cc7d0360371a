#include "task_queue.h"

#include <sys/stat.h>

#include <utility>

namespace kvgen::tools {
namespace {

// Names a source as it is at present: where it is, and its file's size and time. Empty where
// that cannot be told.
std::string stamp_of(const Source& source) {
  const fs::path file =
      source.kind == Source::Kind::kBundle ? source.path / "task.json" : source.path;
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return "";
  return source.where() + " " + source.license + " " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

}  // namespace

TaskQueue::TaskQueue(std::vector<Source> sources, RunJournal& journal, Doors doors)
    : sources_(std::move(sources)), journal_(journal), doors_(std::move(doors)) {}

Awaitable<Result<std::optional<Task>>> TaskQueue::next() {
  while (at_ < sources_.size()) {
    const Source& source = sources_[at_++];
    const std::string stamp = stamp_of(source);
    CO_TRY(const auto done, journal_.finished_source(stamp));
    if (done) {
      if (seen_.insert(*done).second) finished_.push_back(*done);
      continue;
    }
    CO_TRY(IngestedSource taken, co_await doors_.take(source));
    if (!taken.task) {
      ++rejected_;
      doors_.rejected(taken);
      CO_TRY_VOID(journal_.add_rejected_source(source.where(), taken.reason));
      continue;
    }
    if (!seen_.insert(taken.task->hash).second) continue;
    if (!stamp.empty()) CO_TRY_VOID(journal_.note_source(stamp, taken.task->hash));
    ++given_;
    co_return std::move(taken.task);
  }
  co_return std::nullopt;
}

}  // namespace kvgen::tools
