#include "kvgen/base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <string>

namespace kvgen {
namespace {

class NullLog : public Log {
 public:
  void write(Level, std::string_view) override {}
};

spdlog::level::level_enum spdlog_level(Log::Level level) {
  switch (level) {
    case Log::Level::kDebug:
      return spdlog::level::debug;
    case Log::Level::kInfo:
      return spdlog::level::info;
    case Log::Level::kWarning:
      return spdlog::level::warn;
    case Log::Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

class FileLog : public Log {
 public:
  explicit FileLog(std::shared_ptr<spdlog::logger> logger) : logger_(std::move(logger)) {}
  void write(Level level, std::string_view line) override {
    logger_->log(spdlog_level(level), "{}", line);
  }

 private:
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace

Log& null_log() {
  static NullLog log;
  return log;
}

std::unique_ptr<Log> file_log(std::string_view path, Log::Level level) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(std::string(path), false);
    auto logger = std::make_shared<spdlog::logger>("kvgen", std::move(sink));
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    logger->set_level(spdlog_level(level));
    logger->flush_on(spdlog::level::debug);
    return std::make_unique<FileLog>(std::move(logger));
  } catch (const spdlog::spdlog_ex&) {
    return nullptr;
  }
}

}  // namespace kvgen
