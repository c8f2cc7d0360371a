#pragma once

#include <cstdint>

#include "kvgen/base/result.h"
#include "kvgen/cpu/machine.h"

namespace kvgen {

// Sizes of this machine's data caches, from sysfs: glibc takes them from CPUID, which
// virtual machines often fill in wrong.
struct CacheSizes {
  std::int64_t last_level = 32 << 20;   // of all instances together
  std::int64_t second_level = 1 << 20;  // of one core
};
CacheSizes read_cache_sizes();

// Empties the data caches of what a run left there.
class CacheFlush {
 public:
  // Gets the memory: for each OS thread its share of twice the last level, at least
  // four times its second level, to write; as much again to read.
  Result<void> prepare(const CacheSizes& sizes, unsigned threads);
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
