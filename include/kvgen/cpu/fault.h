#pragma once

#include <cstdint>

#include "kvgen/cpu/abi.h"

namespace kvgen {

// Why a kernel cannot go on. Plain data: it crosses to another process.
struct CpuFault {
  enum class Kind : std::uint32_t {
    kNone,
    kBarrierSites,  // threads wait at different barriers: site, other_site
    kBarrierExit,   // `count` threads returned while others wait: site
    kTrap,          // site, 0 for __builtin_trap
    kAssert,        // text: the expression; site: its line as a site
    kAccess,        // a faulting access: address, writes
    kStackOverflow,
    kArithmetic,  // integer division by zero or overflow
    kIllegal,     // an instruction the machine does not have
    kNoMemory,    // ours: no memory for a stack
  };
  Kind kind = Kind::kNone;
  std::uint32_t launch = 0;  // of the launches made, from 0
  kvgen_cpu_index block = {};
  kvgen_cpu_index thread = {};
  std::uint32_t thread_known = 1;  // 0: the block ran as one loop, its threads interleaved
  std::uint32_t site = 0;
  std::uint32_t other_site = 0;
  std::uint32_t count = 0;
  std::uint32_t writes = 0;         // kAccess: 1 for a write
  std::uint32_t known_address = 0;  // kAccess: 0 when the hardware does not tell
  std::uint64_t address = 0;
  std::uint64_t code_offset = 0;  // of the instruction in the object, 0: unknown
  char text[160] = {};
};

// Where kernels' faults and text go.
class CpuEvents {
 public:
  virtual ~CpuEvents() = default;
  // Called on any thread, also from a signal handler; must not return.
  [[noreturn]] virtual void stop(const CpuFault& fault) = 0;
  // Called on any thread.
  virtual void print(const char* text, std::uint32_t bytes) = 0;
};

}  // namespace kvgen
