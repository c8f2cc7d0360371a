#pragma once

#include <cstdint>
#include <string>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/model/profile.h"

namespace kvgen {

// What no machine of a kind exceeds (configs/devices/NAME.json).
struct Roofline {
  std::string device;
  double bytes_per_second = 0;  // from the nearest cache when hot
  bool per_core = false;        // the rate is of one core
};

Result<Roofline> roofline_from(const Json& json, const std::string& where);

// The least time in nanoseconds that moving `minimal_bytes` (graph/cost.h) can take.
double floor_ns(std::int64_t minimal_bytes, const Roofline& limits, int cores);

// A candidate faster than the floor did not do the work: flags "floor_suspect".
void flag_below_floor(Profile& profile, double floor);

}  // namespace kvgen
