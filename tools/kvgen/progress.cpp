#include "progress.h"

#include <ostream>

#include "pace.h"

namespace kvgen::tools {

Progress::Progress(std::ostream& err, bool terminal, const Clock& clock, std::size_t tasks)
    : err_(err), terminal_(terminal), clock_(clock), start_(clock.now()), tasks_(tasks) {}

Progress::~Progress() {
  if (terminal_) err_ << "\r\x1b[K" << std::flush;
}

void Progress::task_started(const Task& task) {
  in_progress_.insert(task.hash);
  if (terminal_) redraw(task.name);
}

void Progress::waits(const Task&, const std::string& why) {
  waits_ = why;
  if (terminal_) redraw(why);
}

void Progress::attempt_finished(const Task& task, const Attempt& attempt) {
  waits_.clear();
  if (terminal_) redraw(task.name + " " + std::string(to_string(attempt.outcome.kind)));
}

void Progress::task_finished(const TaskResult& result) {
  ++done_;
  done_here_ += in_progress_.erase(result.hash);
  const Attempt* best = result.best();
  if (best != nullptr && best->outcome.verified()) ++verified_;
  std::string outcome = "not tried";
  if (result.refused) outcome = "refused";
  if (best != nullptr) outcome = to_string(best->outcome.kind);
  if (result.error) {
    ++errors_;
    last_error_ = result.name + ": " + result.error->message();
    outcome = "error: " + result.error->message();
  }
  if (terminal_) redraw(result.name + " " + outcome);
}

void Progress::tick() {
  if (terminal_) return;
  err_ << utc_text(clock_.wall()) << " " << done_ + earlier_ << "/" << tasks_ << " tasks, "
       << verified_ << (earlier_ > 0 ? " verified since the start, " : " verified, ")
       << in_progress_.size() << " in progress";
  if (errors_ > 0) err_ << ", " << errors_ << " not finished (" << last_error_ << ")";
  err_ << pace();
  if (!waits_.empty()) err_ << "; " << waits_;
  err_ << std::endl;
  waits_.clear();
}

std::string Progress::pace() const {
  const double seconds = std::chrono::duration<double>(clock_.now() - start_).count();
  const auto pace = pace_of(static_cast<std::int64_t>(done_here_), seconds,
                            static_cast<std::int64_t>(tasks_ - done_ - earlier_));
  return pace ? ", " + pace_text(*pace, "") : "";
}

void Progress::redraw(const std::string& latest) {
  const std::size_t bar = tasks_ == 0 ? 20 : (done_ + earlier_) * 20 / tasks_;
  std::string line = "[" + std::string(bar, '#') + std::string(20 - bar, '.') + "] " +
                     std::to_string(done_ + earlier_) + "/" + std::to_string(tasks_) + "  " +
                     std::to_string(verified_) + " verified  " + latest;
  if (line.size() > 78) line.resize(78);
  err_ << "\r\x1b[K" << line << std::flush;
}

}  // namespace kvgen::tools
