#pragma once

#include <cstdint>

#include "kvgen/base/result.h"
#include "kvgen/cpu/machine.h"

namespace kvgen {

// Empties this machine's data caches of what a run left there.
class CacheFlush {
 public:
  // Gets the memory: for each OS thread its share of twice the last-level cache, at least
  // four times its second-level cache, to write; as much again to read.
  Result<void> prepare(unsigned threads);
  // On every OS thread: writes one buffer, then reads the other.
  void flush(CpuMachine& machine);

 private:
  void flush_one(unsigned thread);

  char* memory_ = nullptr;
  std::size_t share_ = 0;  // bytes of one buffer of one thread
  unsigned char round_ = 0;
  std::uint64_t sink_ = 0;
};

}  // namespace kvgen
