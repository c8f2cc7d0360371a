#include "kvgen/profile/roofline.h"

#include <algorithm>

namespace kvgen {

Result<Roofline> roofline_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Roofline limits;
  limits.device = fields.get<std::string>("device");
  limits.bytes_per_second = fields.get<double>("bytes_per_second");
  limits.per_core = fields.get_or<bool>("per_core", false);
  fields.get_or<std::string>("source", "");
  if (!(limits.bytes_per_second > 0)) fields.fail("bytes_per_second", "must be above 0");
  TRY_VOID(fields.finish());
  return limits;
}

double floor_ns(std::int64_t minimal_bytes, const Roofline& limits, int cores) {
  const double rate = limits.bytes_per_second * (limits.per_core ? std::max(cores, 1) : 1);
  return static_cast<double>(minimal_bytes) / rate * 1e9;
}

void flag_below_floor(Profile& profile, double floor) {
  if (!profile.candidate.samples.empty() && profile.candidate.min < floor) {
    profile.flags.emplace_back("floor_suspect");
  }
}

}  // namespace kvgen
