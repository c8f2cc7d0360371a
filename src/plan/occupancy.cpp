#include "kvgen/plan/occupancy.h"

#include <algorithm>
#include <array>

namespace kvgen {
namespace {

// LLVM's AMDGPU usage guide and AMDGPUBaseInfo.
struct Row {
  std::string_view arch;
  int waves;    // a SIMD holds at most
  int vgprs;    // of a lane, in a SIMD
  int granule;  // that they are given out in
  int lds;      // bytes of a compute unit, or of a work-group processor
  int lds_granule;
  int wave_size;
  bool one_file;     // AGPRs are VGPRs
  bool sgprs_limit;  // the SGPRs are shared by a SIMD's waves
};
constexpr std::array kRows = {
    Row{"gfx908", 10, 256, 4, 64 << 10, 512, 64, false, true},
    Row{"gfx90a", 8, 512, 8, 64 << 10, 512, 64, true, true},
    Row{"gfx942", 8, 512, 8, 64 << 10, 512, 64, true, true},
    Row{"gfx950", 8, 512, 8, 160 << 10, 1280, 64, true, true},
    Row{"gfx1030", 16, 1024, 16, 128 << 10, 512, 32, false, false},
    Row{"gfx1100", 16, 1536, 24, 128 << 10, 512, 32, false, false},
    Row{"gfx1201", 16, 1536, 24, 128 << 10, 512, 32, false, false},
};
constexpr int kSimds = 4;    // of a compute unit, or of a work-group processor
constexpr int kGroups = 16;  // of more than one wave, in a compute unit; twice in a processor

std::int64_t round_up(std::int64_t value, std::int64_t granule) {
  return (std::max<std::int64_t>(value, 1) + granule - 1) / granule * granule;
}

int waves_by_sgprs(int sgprs) {
  if (sgprs <= 80) return 10;
  if (sgprs <= 88) return 9;
  if (sgprs <= 100) return 8;
  return 7;
}

}  // namespace

std::optional<Occupancy> occupancy_of(std::string_view arch, const KernelFacts& facts, int threads,
                                      std::int64_t dynamic_lds) {
  const auto row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.arch == arch; });
  if (row == kRows.end() || facts.wave_size != row->wave_size || threads < 1) return std::nullopt;

  Occupancy occupancy;
  occupancy.threads = threads;
  occupancy.dynamic_lds = dynamic_lds;
  occupancy.most = row->waves;
  occupancy.waves = row->waves;
  occupancy.limited_by = "waves";
  const auto limit = [&](std::int64_t waves, std::string_view what) {
    if (waves >= occupancy.waves) return;
    occupancy.waves = static_cast<int>(waves);
    occupancy.limited_by = what;
  };
  const int registers = row->one_file ? facts.vgprs : std::max(facts.vgprs, facts.agprs);
  limit(row->vgprs / round_up(registers, row->granule), "vgprs");
  if (row->sgprs_limit) limit(waves_by_sgprs(facts.sgprs), "sgprs");

  const int group_waves = (threads + row->wave_size - 1) / row->wave_size;
  const std::int64_t lds = facts.lds_bytes + dynamic_lds;
  if (lds > 0) {
    const std::int64_t groups = row->lds / round_up(lds, row->lds_granule);
    limit((groups * group_waves + kSimds - 1) / kSimds, "lds");
  }
  const int groups_held = row->wave_size == 32 ? 2 * kGroups : kGroups;
  if (group_waves > 1) limit((groups_held * group_waves + kSimds - 1) / kSimds, "groups");
  return occupancy;
}

}  // namespace kvgen
