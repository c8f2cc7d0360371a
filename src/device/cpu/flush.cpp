#include "device/cpu/flush.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <string>

namespace kvgen {
namespace {

constexpr std::int64_t kLargest = 1LL << 30;

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "32768K", "1M"
std::int64_t size_from(const std::string& text) {
  char* unit = nullptr;
  const std::int64_t number = std::strtoll(text.c_str(), &unit, 10);
  return *unit == 'K' ? number << 10U : *unit == 'M' ? number << 20U : number;
}

}  // namespace

CacheSizes read_cache_sizes() {
  CacheSizes sizes;
  std::set<std::string> instances;
  std::int64_t last = 0;
  for (int cpu = 0; cpu < 1024; ++cpu) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index";
    const std::string shared_by = first_line(folder + "3/shared_cpu_list");
    if (shared_by.empty()) break;
    if (instances.insert(shared_by).second) last += size_from(first_line(folder + "3/size"));
    if (cpu == 0) {
      if (const auto own = size_from(first_line(folder + "2/size")); own > 0) {
        sizes.second_level = own;
      }
    }
  }
  if (last > 0) sizes.last_level = std::min(last, kLargest);
  return sizes;
}

Result<void> CacheFlush::prepare(const CacheSizes& sizes, unsigned threads) {
  share_ = static_cast<std::size_t>(
      std::max(2 * sizes.last_level / threads, 4 * sizes.second_level) / 4096 * 4096);
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
