#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "device/cpu/child.h"
#include "kvgen/base/fd.h"
#include "kvgen/base/result.h"

namespace kvgen {

// A candidate's process as its parent sees it.
class CandidateProcess {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // Forks. The task's control and descriptors are filled in here.
  static Result<CandidateProcess> start(ChildTask task);

  CandidateProcess(CandidateProcess&& other) noexcept;
  CandidateProcess& operator=(CandidateProcess&&) = delete;
  CandidateProcess(const CandidateProcess&) = delete;
  ~CandidateProcess();

  Result<void> order(const ChildOrder& order) const;
  // The child's next byte; nothing past the deadline; '\0' when the child has ended.
  [[nodiscard]] std::optional<char> hear(Instant deadline) const;
  // Lets the window begin that the child has said it is ready for.
  void let_go();

  // Kills and collects it; its wait status. Idempotent.
  int end();

  [[nodiscard]] const ChildControl& control() const { return *control_; }

 private:
  CandidateProcess() = default;

  pid_t pid_ = -1;
  int status_ = 0;
  ChildControl* control_ = nullptr;
  UniqueFd orders_;
  UniqueFd signals_;
};

}  // namespace kvgen
