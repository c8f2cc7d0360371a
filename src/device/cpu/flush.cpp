#include "device/cpu/flush.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace kvgen {
namespace {

std::size_t cache_bytes(int level, std::size_t otherwise) {
  const long told = ::sysconf(level);
  return told > 0 ? static_cast<std::size_t>(told) : otherwise;
}

}  // namespace

Result<void> CacheFlush::prepare(unsigned threads) {
  const std::size_t last = cache_bytes(_SC_LEVEL3_CACHE_SIZE, 32UL << 20);
  const std::size_t second = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1UL << 20);
  share_ = std::max(2 * last / threads, 4 * second) / 4096 * 4096;
  const std::size_t bytes = 2 * share_ * threads;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return Error(Code::kFull, "no memory to flush caches with");
  memory_ = static_cast<char*>(memory);
  return ok();
}

void CacheFlush::flush(CpuMachine& machine) {
  if (memory_ == nullptr) return;
  ++round_;
  machine.everywhere([](void* self, unsigned i) { static_cast<CacheFlush*>(self)->flush_one(i); },
                     this);
}

void CacheFlush::flush_one(unsigned thread) {
  char* const mine = memory_ + 2 * share_ * thread;
  std::memset(mine, round_, share_);
  std::uint64_t sum = 0;
  for (std::size_t i = share_; i < 2 * share_; i += 64) sum += static_cast<unsigned char>(mine[i]);
  std::atomic_ref(sink_).fetch_add(sum, std::memory_order_relaxed);
}

}  // namespace kvgen
