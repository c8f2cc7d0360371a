#pragma once

#include <cstdint>
#include <string>

#include "kvgen/base/result.h"
#include "kvgen/compile/engine.h"
#include "kvgen/worker/frame.h"

namespace kvgen {

struct CompileLimits {
  std::int64_t cpu_s = 20;
  std::int64_t wall_ms = 30'000;
  std::uint64_t memory_bytes = 3ULL << 30;  // beyond what the warm parent has mapped
  std::uint64_t object_bytes = 64ULL << 20;
  std::uint64_t source_bytes = 1ULL << 20;
};

// Answers op "compile". Each text is compiled in a child forked from the warm
// engine; a child that dies or passes a limit is a compile_error when the same engine still
// compiles a known-good text, else an Error (retryable).
class CompileService {
 public:
  CompileService(ClangEngine& engine, CompileLimits limits) : engine_(engine), limits_(limits) {}

  Result<Message> handle(const std::string& op, Message body);
  Result<Message> compile(const CompileCall& call);

 private:
  ClangEngine& engine_;
  CompileLimits limits_;
};

}  // namespace kvgen
