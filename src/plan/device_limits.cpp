#include <array>

#include "kvgen/plan/resolve.h"

namespace kvgen {
namespace {

struct TargetRow {
  std::string_view target;
  std::int64_t lds_bytes;
  int wave;
  int cus;
};
// LDS of a workgroup: AMDGPU usage guide and the CDNA 4 ISA guide.
constexpr std::array kTargets = {
    TargetRow{"gfx90a", 64 << 10, 64, 104},  TargetRow{"gfx942", 64 << 10, 64, 304},
    TargetRow{"gfx950", 160 << 10, 64, 256}, TargetRow{"gfx1100", 64 << 10, 32, 96},
    TargetRow{"gfx1201", 64 << 10, 32, 64},  TargetRow{"cpu", 64 << 10, 64, 1},
};

}  // namespace

DeviceLimits limits_of(std::string_view target) {
  DeviceLimits limits;
  limits.target = target;
  for (const TargetRow& row : kTargets) {
    if (row.target != target) continue;
    limits.lds_bytes = row.lds_bytes;
    limits.wave = row.wave;
    limits.cus = row.cus;
  }
  return limits;
}

}  // namespace kvgen
