#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kvgen/base/clock.h"
#include "kvgen/base/files.h"
#include "kvgen/base/json.h"
#include "kvgen/base/result.h"

namespace kvgen {

// How far a run is, at one moment.
struct RunStatus {
  std::int64_t tasks = 0;     // sources that may still become one included
  std::int64_t finished = 0;  // nothing more is done on these
  std::int64_t refused = 0;   // by their marks
  std::int64_t verified = 0;  // with a verified attempt
  std::int64_t rejected_sources = 0;
  std::map<std::string, std::int64_t> outcomes;  // of finished attempts, by kind
  std::int64_t begun_attempts = 0;               // asked for, or being proved
  std::int64_t possibly_bought_twice = 0;
  std::string begun;                       // UTC
  std::string opened;                      // UTC, by the kvgen that works or worked on it last
  Clock::Instant opened_instant;           // the same on the machine's clock that does not jump
  std::int64_t finished_since_opened = 0;  // tasks
  std::optional<int> owner;                // the process that holds the run now; 0: not of here
  Json last_error;                         // null, or {"at", "task", "message"}

  [[nodiscard]] std::int64_t left() const { return tasks - finished - refused; }
};

// Reads RUN/journal.sqlite while another kvgen may be at work on it: takes no lock of
// the run, and reads one consistent state.
Result<RunStatus> read_status(Files& files, const fs::path& run);

}  // namespace kvgen
