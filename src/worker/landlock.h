#pragma once

#include "kvgen/base/result.h"
#include "kvgen/worker/sandbox.h"

namespace kvgen {

// The kernel's Landlock ABI, 0 when absent or disabled.
int landlock_abi();

// Closes the file system but for the policy's paths and, as far as the ABI goes,
// TCP, abstract sockets and signals to the outside. Needs no_new_privs and abi >= 1.
Result<void> restrict_by_landlock(const SandboxPolicy& policy, int abi);

}  // namespace kvgen
