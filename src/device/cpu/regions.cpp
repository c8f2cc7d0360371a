#include "device/cpu/regions.h"

#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kvgen {
namespace {

// An index of 32 bits into 4-byte elements, wrapped or not, stays in the guard of
// its own tensor.
constexpr std::int64_t kGuardBytes = 9LL << 30;
constexpr std::int64_t kAddressesLimit = 32LL << 40;
constexpr std::int64_t kHugeFrom = 8LL << 20;
constexpr std::int64_t kHugePage = 2LL << 20;

Error no_memory(std::string_view doing) {
  Error error(Code::kFull, std::string(doing) + ": " + std::strerror(errno));
  error.set_retryable();
  return error;
}

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

class Mapper {
 public:
  explicit Mapper(std::size_t regions)
      : guard_(std::min<std::int64_t>(kGuardBytes, kAddressesLimit /
                                                       static_cast<std::int64_t>(2 * regions + 2) /
                                                       kArenaPage * kArenaPage)) {}

  Result<Region> shared(const ArenaTensor& tensor, int fd, bool writable) const {
    TRY(Region region, reserve(tensor.region_bytes));
    const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    if (::mmap(region.low, static_cast<std::size_t>(tensor.region_bytes), protection,
               MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, tensor.region_offset) == MAP_FAILED) {
      return no_memory("cannot map a tensor");
    }
    region.data = region.low + (tensor.data_offset - tensor.region_offset);
    return region;
  }

  // The data ends at the guard, or begins after one.
  Result<Region> fresh(const ResolvedBuffer& buffer, bool at_start) const {
    const std::int64_t held = round_up(buffer.bytes, kArenaAlignment);
    const std::int64_t pages = std::max(kArenaPage, round_up(held, kArenaPage));
    TRY(Region region, reserve(pages));
    if (::mprotect(region.low, static_cast<std::size_t>(pages), PROT_READ | PROT_WRITE) != 0) {
      return no_memory("cannot get memory for plan buffers");
    }
    if (pages >= kHugeFrom) {
      ::madvise(region.low, static_cast<std::size_t>(pages), MADV_HUGEPAGE);
    }
    region.data = at_start ? region.low : region.high - held;
    return region;
  }

 private:
  Result<Region> reserve(std::int64_t bytes) const {
    const std::int64_t all = bytes + 2 * guard_;
    void* const base = ::mmap(nullptr, static_cast<std::size_t>(all), PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return no_memory("cannot reserve addresses for a tensor");
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != sizeof random) {
      return no_memory("cannot get random bytes");
    }
    const std::int64_t slide = static_cast<std::int64_t>(random >> 2U) % (guard_ / 16);
    Region region;
    region.reserved_low = static_cast<char*>(base);
    region.reserved_high = region.reserved_low + all;
    const std::int64_t step = bytes >= kHugeFrom ? kHugePage : kArenaPage;
    const auto start = reinterpret_cast<std::int64_t>(base) + guard_ - slide;
    region.low = region.reserved_low + (start / step * step - reinterpret_cast<std::int64_t>(base));
    region.high = region.low + bytes;
    return region;
  }

  std::int64_t guard_;
};

}  // namespace

std::vector<RegionFacts> region_facts(const DeviceRun& run) {
  std::vector<RegionFacts> facts;
  for (const ArenaTensor& tensor : run.inputs.tensors) {
    facts.push_back({tensor.spec.name, tensor.spec.dtype, tensor.data_bytes, false});
  }
  for (const ArenaTensor& tensor : run.outputs.tensors) {
    facts.push_back({tensor.spec.name, tensor.spec.dtype, tensor.data_bytes, true});
  }
  for (const ResolvedBuffer& buffer : run.plan.buffers) {
    facts.push_back({buffer.name, buffer.dtype, buffer.bytes, true});
  }
  return facts;
}

Result<MappedRegions> map_regions(const DeviceRun& run) {
  MappedRegions mapped;
  const Mapper mapper(run.inputs.tensors.size() + run.outputs.tensors.size() +
                      run.plan.buffers.size());
  const auto keep = [&mapped](Region region, std::vector<std::uint64_t>& addresses) {
    addresses.push_back(reinterpret_cast<std::uint64_t>(region.data));
    mapped.regions.push_back(std::move(region));
  };
  for (const ArenaTensor& tensor : run.inputs.tensors) {
    TRY(Region region, mapper.shared(tensor, run.inputs_fd->get(), false));
    keep(std::move(region), mapped.addresses.inputs);
  }
  for (const ArenaTensor& tensor : run.outputs.tensors) {
    TRY(Region region, mapper.shared(tensor, run.outputs_fd->get(), true));
    keep(std::move(region), mapped.addresses.outputs);
  }
  const std::uint64_t pattern = poison_pattern(run.poison_seed);
  for (const ResolvedBuffer& buffer : run.plan.buffers) {
    TRY(Region region, mapper.fresh(buffer, run.schedule == "reverse"));
    poison(region.low, region.high - region.low, pattern);
    keep(std::move(region), mapped.addresses.buffers);
  }
  return mapped;
}

std::uint64_t poison_pattern(std::uint64_t seed) {
  std::uint64_t mixed = (seed + 1) * 0x9e3779b97f4a7c15ULL;
  std::uint64_t pattern = 0;
  for (int half = 0; half < 4; ++half) {
    mixed ^= mixed >> 29U;
    mixed *= 0xbf58476d1ce4e5b9ULL;
    pattern = (pattern << 16U) | 0xfff0U | (1 + (mixed >> 40U) % 15);
  }
  return pattern;
}

void poison(char* from, std::int64_t bytes, std::uint64_t pattern) {
  std::int64_t done = 0;
  constexpr std::int64_t kStep = sizeof pattern;
  for (; done + kStep <= bytes; done += kStep) std::memcpy(from + done, &pattern, kStep);
  std::memcpy(from + done, &pattern, static_cast<std::size_t>(bytes - done));
}

}  // namespace kvgen
