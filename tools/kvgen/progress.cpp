#include "progress.h"

#include <ostream>

namespace kvgen::tools {

Progress::Progress(std::ostream& err, bool terminal, const Clock& clock, std::size_t tasks)
    : err_(err), terminal_(terminal), clock_(clock), start_(clock.now()), tasks_(tasks) {}

Progress::~Progress() {
  if (terminal_) err_ << "\r\x1b[K" << std::flush;
}

double Progress::seconds() const {
  return std::chrono::duration<double>(clock_.now() - start_).count();
}

void Progress::task_started(const Task& task) {
  if (terminal_) redraw(task.name);
}

void Progress::attempt_finished(const Task& task, const Attempt& attempt) {
  if (terminal_) redraw(task.name + " " + std::string(to_string(attempt.outcome.kind)));
}

void Progress::task_finished(const TaskResult& result) {
  ++done_;
  const Attempt* best = result.best();
  if (best != nullptr && best->outcome.verified()) ++verified_;
  std::string outcome = "not tried";
  if (result.refused) outcome = "refused";
  if (best != nullptr) outcome = to_string(best->outcome.kind);
  if (result.error) outcome = "error: " + result.error->message();
  if (terminal_) {
    redraw(result.name + " " + outcome);
  } else {
    err_ << "[" << done_ << "/" << tasks_ << "] " << result.name << ": " << outcome << std::endl;
  }
}

void Progress::redraw(const std::string& latest) {
  const std::size_t bar = tasks_ == 0 ? 20 : done_ * 20 / tasks_;
  std::string line = "[" + std::string(bar, '#') + std::string(20 - bar, '.') + "] " +
                     std::to_string(done_) + "/" + std::to_string(tasks_) + "  " +
                     std::to_string(verified_) + " verified  " + latest;
  if (line.size() > 78) line.resize(78);
  err_ << "\r\x1b[K" << line << std::flush;
}

}  // namespace kvgen::tools
