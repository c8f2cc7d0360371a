#pragma once

#include <optional>

#include "kvgen/base/fd.h"
#include "kvgen/base/files.h"
#include "kvgen/base/result.h"

namespace kvgen {

// RUN/lock, held as long as this lives. The kernel lets go when the process ends,
// however it ends; the file stays and names who holds it.
class RunLock {
 public:
  // kConflict, naming the holder's pid, when another process or journal has it.
  static Result<RunLock> take(const fs::path& folder);

 private:
  explicit RunLock(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

// The process that holds RUN/lock now, without touching the lock; 0 when it is none
// that this machine's process table shows. None: nobody holds it.
std::optional<int> holder_of_run(const fs::path& folder);

}  // namespace kvgen
