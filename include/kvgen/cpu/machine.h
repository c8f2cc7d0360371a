#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kvgen/base/result.h"
#include "kvgen/cpu/abi.h"
#include "kvgen/cpu/fault.h"
#include "kvgen/cpu/object.h"

namespace kvgen {

enum class CpuSchedule { kForward, kReverse, kRandom };

inline constexpr std::uint32_t kCpuDynamicLdsLimit = 160 << 10;  // bytes
inline constexpr std::uint32_t kCpuLdsLimit = 160 << 10;         // static and dynamic

struct CpuMachineOptions {
  unsigned threads = 1;                              // OS threads, the calling one included
  unsigned block_threads = KVGEN_CPU_THREADS_LIMIT;  // of the largest block to come
  CpuSchedule schedule = CpuSchedule::kForward;      // of blocks, waves and lanes
  std::uint64_t seed = 1;                            // of kRandom and of the poison in LDS
};

struct CpuLaunch {
  std::uint64_t entry = 0;  // CpuObject::entry
  std::uint64_t loop = 0;   // CpuObject::loop
  kvgen_cpu_index grid = {1, 1, 1};
  kvgen_cpu_index block = {1, 1, 1};
  std::uint32_t dynamic_lds = 0;  // bytes
  std::span<const kvgen_cpu_slot> arguments;
};

// What an address belongs to, for a signal handler.
enum class CpuArea { kOther, kStackGuard, kDynamicLds, kObject };

// A loaded object and the OS threads that run it. One launch at a time.
//
// Kernels that misbehave end in CpuEvents::stop, or in a signal; there is no
// way back from either, so a machine lives in a process of its own.
class CpuMachine {
 public:
  static Result<std::unique_ptr<CpuMachine>> create(const CpuObject& object,
                                                    const CpuMachineOptions& options,
                                                    CpuEvents& events);
  virtual ~CpuMachine() = default;

  // Returns when every block has run. The launch was checked: block of 1 to
  // options.block_threads threads, dynamic LDS within the limit, no empty grid.
  virtual void launch(const CpuLaunch& launch) = 0;

  // Runs a function once on each OS thread, at the same time.
  virtual void everywhere(void (*function)(void* context, unsigned thread), void* context) = 0;

  // For a signal handler: what the calling OS thread runs. `code` is the
  // instruction's address.
  static bool here(CpuFault& fault, const void* code);
  static CpuArea area_of(const void* address);
};

}  // namespace kvgen
