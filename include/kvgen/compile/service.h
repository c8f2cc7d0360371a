#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "kvgen/base/result.h"
#include "kvgen/compile/compile_engine.h"
#include "kvgen/worker/frame.h"

namespace kvgen {

struct CompileLimits {
  std::int64_t cpu_s = 20;
  std::int64_t wall_ms = 30'000;
  std::uint64_t memory_bytes = 3ULL << 30;  // beyond what the warm parent has mapped
  std::uint64_t object_bytes = 64ULL << 20;
  std::uint64_t source_bytes = 1ULL << 20;
  // For an engine that writes files: each compile gets a folder of its own below this one as
  // TMPDIR, removed when it is over. Empty: none.
  std::filesystem::path scratch;
};

// Answers op "compile". Each text is compiled in a child forked from the warm
// engine; a child that dies or passes a limit is a compile_error when the same engine still
// compiles a known-good text, else an Error (retryable).
class CompileService {
 public:
  CompileService(CompileEngine& engine, CompileLimits limits)
      : engine_(engine), limits_(std::move(limits)) {}

  Result<Message> handle(const std::string& op, Message body);
  Result<Message> compile(const CompileCall& call);
  // Without asking whether a known-good text still compiles: whatever goes wrong is this text's.
  Result<Message> attempt(const CompileCall& call);

 private:
  [[nodiscard]] Message refuse(const CompileCall& call, const std::string& reason) const;

  CompileEngine& engine_;
  CompileLimits limits_;
};

}  // namespace kvgen
