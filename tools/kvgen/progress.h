#pragma once

#include <iosfwd>
#include <optional>
#include <set>
#include <string>

#include "kvgen/base/clock.h"
#include "kvgen/pipeline/pipeline.h"

namespace kvgen::tools {

// Says how far a run is: one line rewritten in place on a terminal; elsewhere, for a
// log, a line whenever tick() is called.
class Progress : public PipelineObserver {
 public:
  Progress(std::ostream& err, bool terminal, const Clock& clock, std::size_t tasks);
  ~Progress() override;

  void task_started(const Task& task) override;
  void waits(const Task& task, const std::string& why) override;
  void attempt_finished(const Task& task, const Attempt& attempt) override;
  void task_finished(const TaskResult& result) override;

  // Tasks that an earlier process finished, as far as they were passed over.
  void earlier(std::size_t tasks) { earlier_ = tasks; }

  // To be called once a minute.
  void tick();

 private:
  void redraw(const std::string& latest);
  [[nodiscard]] std::string pace() const;

  std::ostream& err_;
  bool terminal_;
  const Clock& clock_;
  Clock::Instant start_;
  std::size_t tasks_;
  std::size_t done_ = 0;     // by this process
  std::size_t earlier_ = 0;  // by an earlier one
  std::size_t verified_ = 0;
  std::size_t errors_ = 0;
  std::size_t done_here_ = 0;          // without those that an earlier process finished
  std::set<std::string> in_progress_;  // by task hash
  std::string waits_;                  // why nobody answers, since the last tick
  std::string last_error_;
};

}  // namespace kvgen::tools
