#pragma once

#include <sys/types.h>

#include <filesystem>

#include "kvgen/base/fd.h"
#include "kvgen/base/result.h"
#include "kvgen/pool/worker_process.h"

namespace kvgen::pool {

struct Child {
  pid_t pid = -1;
  UniqueFd socket;               // ours, non-blocking
  std::filesystem::path folder;  // its working folder
};

Result<Child> spawn(const WorkerCommand& command);

// Kills the group, reaps the child, removes its folder; tells how it ended
// ("killed by SIGKILL", "exit code 3").
std::string end_child(pid_t pid, const std::filesystem::path& folder);

}  // namespace kvgen::pool
