#include "kvgen/model/profile.h"

namespace kvgen {
namespace {

Json to_json(const TimingSummary& times) {
  return {{"median_ns", times.median},
          {"iqr_ns", times.iqr},
          {"min_ns", times.min},
          {"samples_ns", times.samples}};
}

Result<TimingSummary> timing_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  TimingSummary times;
  times.median = fields.get<double>("median_ns");
  times.iqr = fields.get<double>("iqr_ns");
  times.min = fields.get<double>("min_ns");
  for (const Json& sample : fields.array("samples_ns")) {
    if (!sample.is_number()) {
      fields.fail("samples_ns", "must be a list of numbers");
      break;
    }
    times.samples.push_back(sample.get<double>());
  }
  TRY_VOID(fields.finish());
  return times;
}

}  // namespace

Json to_json(const Profile& profile) {
  return {{"variant", profile.variant},
          {"device", profile.device},
          {"timed_on", profile.timed_on},
          {"source", profile.source},
          {"cache", profile.cache},
          {"cores", profile.cores},
          {"baseline", profile.baseline},
          {"candidate", to_json(profile.candidate)},
          {"reference", to_json(profile.reference)},
          {"speedup", profile.speedup ? Json(*profile.speedup) : Json(nullptr)},
          {"separated", profile.separated},
          {"converged", profile.converged},
          {"runs_per_sample", profile.runs_per_sample},
          {"flags", profile.flags}};
}

Result<Profile> profile_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Profile profile;
  profile.variant = fields.get<std::string>("variant");
  profile.device = fields.get<std::string>("device");
  profile.timed_on = fields.get<std::string>("timed_on");
  profile.source = fields.get<std::string>("source");
  profile.cache = fields.get<std::string>("cache");
  profile.cores = fields.get<int>("cores");
  profile.baseline = fields.get<std::string>("baseline");
  const Json candidate = fields.get<Json>("candidate");
  const Json reference = fields.get<Json>("reference");
  profile.speedup = fields.maybe<double>("speedup");
  profile.separated = fields.get<bool>("separated");
  profile.converged = fields.get<bool>("converged");
  profile.runs_per_sample = fields.get<int>("runs_per_sample");
  profile.flags = fields.get<std::vector<std::string>>("flags");
  TRY_VOID(fields.finish());
  TRY(profile.candidate, timing_from(candidate, where + ".candidate"));
  TRY(profile.reference, timing_from(reference, where + ".reference"));
  return profile;
}

}  // namespace kvgen
