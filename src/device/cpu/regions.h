#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/stream.h"
#include "kvgen/device/engine.h"

namespace kvgen {

// Where a tensor or plan buffer lies in the child: between addresses without
// access, at an unpredictable place.
struct Region {
  char* data = nullptr;
  char* low = nullptr;  // accessible pages [low, high)
  char* high = nullptr;
  char* reserved_low = nullptr;  // with the guards
  char* reserved_high = nullptr;
};

// What a region holds, in the order of map_regions: inputs, outputs, buffers.
struct RegionFacts {
  std::string name;
  DType dtype = DType::kFloat32;
  std::int64_t bytes = 0;
  bool writable = false;
};
std::vector<RegionFacts> region_facts(const DeviceRun& run);

struct MappedRegions {
  std::vector<Region> regions;
  DeviceAddresses addresses;
};

// Inputs read-only, outputs shared with the arena, plan buffers of private memory filled with
// poison from the seed. Never unmapped: the child's end does it.
Result<MappedRegions> map_regions(const DeviceRun& run);

// Halves that are NaN in every floating type and small negative integers.
std::uint64_t poison_pattern(std::uint64_t seed);
void poison(char* from, std::int64_t bytes, std::uint64_t pattern);

}  // namespace kvgen
