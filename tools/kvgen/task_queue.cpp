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

Result<void> TaskQueue::read_journal() {
  if (journal_read_) return ok();
  TRY(finished_by_stamp_, journal_.finished_sources());
  TRY(unjudged_, journal_.unjudged_sources());
  journal_read_ = true;
  return ok();
}

Result<void> TaskQueue::write_what_fits() {
  const auto written = write();
  return written.ok() || written.error().code() == Code::kFull ? ok() : written;
}

Result<void> TaskQueue::write() {
  while (!unwritten_.empty()) {
    TRY_VOID(unwritten_.front()());
    unwritten_.pop_front();
  }
  return ok();
}

const Source* TaskQueue::next_source() {
  while (true) {
    if (!later_.empty() && (doors_.can_prove() || at_ == sources_.size())) {
      const Source* source = later_.front();
      later_.pop_front();
      return source;
    }
    if (at_ == sources_.size()) return nullptr;
    const Source& source = sources_[at_++];
    const std::string stamp = stamp_of(source);
    const auto done = finished_by_stamp_.find(stamp);
    if (done != finished_by_stamp_.end()) {
      if (seen_.insert(done->second).second) finished_.push_back(done->second);
    } else if (!doors_.can_prove() && unjudged_.contains(stamp)) {
      later_.push_back(&source);
    } else {
      return &source;
    }
  }
}

Awaitable<Result<std::optional<Task>>> TaskQueue::next() {
  CO_TRY_VOID(read_journal());
  while (const Source* source = next_source()) {
    CO_TRY(IngestedSource taken, co_await doors_.take(*source));
    if (!taken.task) {
      ++rejected_;
      doors_.rejected(taken);
      unwritten_.push_back([this, where = source->where(), reason = taken.reason] {
        return journal_.add_rejected_source(where, reason);
      });
      CO_TRY_VOID(write_what_fits());
      continue;
    }
    if (!seen_.insert(taken.task->hash).second) continue;
    const std::string stamp = stamp_of(*source);
    if (!stamp.empty()) {
      unwritten_.push_back(
          [this, stamp, hash = taken.task->hash] { return journal_.note_source(stamp, hash); });
    }
    CO_TRY_VOID(write_what_fits());
    ++given_;
    co_return std::move(taken.task);
  }
  co_return std::nullopt;
}

}  // namespace kvgen::tools
