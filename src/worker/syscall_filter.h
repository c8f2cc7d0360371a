#pragma once

#include "kvgen/base/result.h"
#include "kvgen/worker/sandbox.h"

namespace kvgen {

bool seccomp_available();

// Denies the system calls a worker has no use for: EPERM, or ENOSYS where the
// C library then falls back to a call that can be inspected (clone3).
Result<void> filter_system_calls(const SandboxPolicy& policy);

}  // namespace kvgen
