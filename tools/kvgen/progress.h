#pragma once

#include <iosfwd>
#include <string>

#include "kvgen/base/clock.h"
#include "kvgen/pipeline/pipeline.h"

namespace kvgen::tools {

// Says how far a run is: one line rewritten in place on a terminal, one line a
// finished task elsewhere.
class Progress : public PipelineObserver {
 public:
  Progress(std::ostream& err, bool terminal, const Clock& clock, std::size_t tasks);
  ~Progress() override;

  void task_started(const Task& task) override;
  void attempt_finished(const Task& task, const Attempt& attempt) override;
  void task_finished(const TaskResult& result) override;

  [[nodiscard]] double seconds() const;

 private:
  void redraw(const std::string& latest);

  std::ostream& err_;
  bool terminal_;
  const Clock& clock_;
  Clock::Instant start_;
  std::size_t tasks_;
  std::size_t done_ = 0;
  std::size_t verified_ = 0;
};

}  // namespace kvgen::tools
