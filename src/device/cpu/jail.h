#pragma once

#include <cstdint>

#include "kvgen/base/result.h"

namespace kvgen {

struct JailLimits {
  int read_fd = -1;  // the only descriptors that may be read and written
  int write_fd = -1;
  std::int64_t cpu_seconds = 0;
};

// Closes this process and all its threads in, for good: no new memory, files, processes or
// threads; waiting, time, its two descriptors and its own end stay. A forbidden call
// ends the process with SIGSYS; a request for memory fails.
Result<void> enter_jail(const JailLimits& limits);

}  // namespace kvgen
