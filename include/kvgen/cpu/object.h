#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kvgen/base/result.h"

namespace kvgen {

// A checked object for the cpu device (cpu/abi.h), ready to be loaded any number
// of times. Holds offsets only; every one of them lies inside the image.
struct CpuObject {
  struct Segment {
    std::uint64_t address = 0;  // in the image
    std::uint64_t memory_bytes = 0;
    std::uint64_t file_offset = 0;
    std::uint64_t file_bytes = 0;
    bool writable = false;
    bool executable = false;
  };
  struct Relocation {
    enum class Kind { kImage, kAbsolute, kDynamicLds };
    Kind kind = Kind::kImage;
    std::uint64_t at = 0;     // 8 bytes in a writable segment
    std::uint64_t value = 0;  // in the image; an address; added to the dynamic LDS's address
  };

  std::string bytes;
  std::uint64_t span = 0;  // of the image in memory, whole pages
  std::vector<Segment> segments;
  std::vector<Relocation> relocations;
  std::map<std::string, std::uint64_t, std::less<>> functions;  // exported, executable
  std::uint64_t context = 0;                                    // of kvgen_cpu_current
  std::uint64_t lds_begin = 0;                                  // of static LDS; begin == end: none
  std::uint64_t lds_end = 0;
  unsigned isa = 0;

  [[nodiscard]] std::uint64_t static_lds() const { return lds_end - lds_begin; }
  // In the image; 0: none. entry() of a kernel's symbol, loop() likewise (cpu/abi.h).
  [[nodiscard]] std::uint64_t entry(std::string_view symbol) const;
  [[nodiscard]] std::uint64_t loop(std::string_view symbol) const;
};

// Takes an object's bytes apart without running any of it. The Error (kInvalid)
// is the object's fault and says what it holds that it must not.
Result<CpuObject> read_cpu_object(std::string bytes);

// The highest KVGEN_CPU_ISA_* that this machine executes.
unsigned machine_isa();

}  // namespace kvgen
