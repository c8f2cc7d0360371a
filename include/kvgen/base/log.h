#pragma once

#include <memory>
#include <string_view>

namespace kvgen {

// Where a part of kvgen says what it did. Rooms take a Log&; only tools/ choose
// where it goes. Thread-safe.
class Log {
 public:
  enum class Level { kDebug, kInfo, kWarning, kError };

  virtual ~Log() = default;
  virtual void write(Level level, std::string_view line) = 0;

  void debug(std::string_view line) { write(Level::kDebug, line); }
  void info(std::string_view line) { write(Level::kInfo, line); }
  void warning(std::string_view line) { write(Level::kWarning, line); }
  void error(std::string_view line) { write(Level::kError, line); }
};

// Drops everything.
Log& null_log();

// Appends to a file (created if needed) through spdlog; nullptr when it cannot be opened.
std::unique_ptr<Log> file_log(std::string_view path, Log::Level level);

}  // namespace kvgen
