#include "store/records.h"

#include "kvgen/base/hash.h"

namespace kvgen {
namespace {

Json record(RecordKind kind, const std::string& id) {
  return {{"kind", to_string(kind)}, {"schema", kRecordSchema}, {"id", id}};
}

void add_fields(Json& record, const Json& fields) {
  for (const auto& [key, value] : fields.items()) record[key] = value;
}

std::string build_id(const std::string& candidate, const Build& build) {
  return sha256_of({{"record", "build"},
                    {"candidate", candidate},
                    {"target", build.target},
                    {"compiler", build.compiler},
                    {"compiler_version", build.compiler_version},
                    {"options_hash", build.options_hash}});
}

std::string verdict_id(const std::string& attempt, const Verdict& verdict) {
  return sha256_of({{"record", "verdict"},
                    {"attempt", attempt},
                    {"policy", verdict.policy},
                    {"verified_on", verdict.verified_on}});
}

std::string profile_id(const std::string& attempt, const Profile& profile) {
  return sha256_of({{"record", "profile"},
                    {"attempt", attempt},
                    {"variant", profile.variant},
                    {"device", profile.device},
                    {"timed_on", profile.timed_on},
                    {"source", profile.source},
                    {"cache", profile.cache},
                    {"cores", profile.cores},
                    {"baseline", profile.baseline}});
}

Json or_null(const std::string& id) { return id.empty() ? Json(nullptr) : Json(id); }

}  // namespace

std::string_view to_string(RecordKind kind) {
  switch (kind) {
    case RecordKind::kTask:
      return "task";
    case RecordKind::kAttempt:
      return "attempt";
    case RecordKind::kBuild:
      return "build";
    case RecordKind::kVerdict:
      return "verdict";
    case RecordKind::kProfile:
      return "profile";
    case RecordKind::kSample:
      return "sample";
    case RecordKind::kRefusal:
      break;
  }
  return "refusal";
}

std::string sample_id(const std::string& task_hash, const std::string& candidate_hash) {
  return sha256_of({{"record", "sample"}, {"task", task_hash}, {"candidate", candidate_hash}});
}

Result<void> RecordWriter::write(const Task& task, const std::vector<Attempt>& attempts) {
  Json json = record(RecordKind::kTask, task.hash);
  json["name"] = task.name;
  json["license"] = task.license.empty() ? Json(nullptr) : Json(task.license);
  json["origin"] = task.origin.empty() ? Json(nullptr) : Json(task.origin);
  json["bundle"] = to_json(task);
  TRY_VOID(sink_(RecordKind::kTask, json));
  for (const Attempt& attempt : attempts) TRY_VOID(write_attempt(task, attempt));
  return ok();
}

Result<std::vector<std::string>> RecordWriter::write_builds(const Attempt& attempt) {
  std::vector<std::string> ids;
  if (attempt.builds.empty()) return ids;
  if (!attempt.candidate) return Error(Code::kInternal, "an attempt has builds of no candidate");
  for (const Build& build : attempt.builds) {
    ids.push_back(build_id(attempt.candidate->hash, build));
    if (!written_builds_.insert(ids.back()).second) continue;
    Json json = record(RecordKind::kBuild, ids.back());
    json["candidate"] = attempt.candidate->hash;
    Json fields = to_json(build);
    json["compiled_for"] = fields["target"];
    fields.erase("target");
    add_fields(json, fields);
    TRY_VOID(sink_(RecordKind::kBuild, json));
  }
  return ids;
}

Result<void> RecordWriter::write_attempt(const Task& task, const Attempt& attempt) {
  const std::string id = attempt.id();
  const std::string candidate = attempt.candidate ? attempt.candidate->hash : "";
  TRY(const std::vector<std::string> builds, write_builds(attempt));

  std::string verdict;
  if (attempt.verdict) {
    verdict = verdict_id(id, *attempt.verdict);
    Json json = record(RecordKind::kVerdict, verdict);
    json["attempt"] = id;
    json["candidate"] = or_null(candidate);
    add_fields(json, to_json(*attempt.verdict));
    TRY_VOID(sink_(RecordKind::kVerdict, json));
  }
  std::vector<std::string> profiles;
  if (attempt.profile) {
    profiles.push_back(profile_id(id, *attempt.profile));
    Json json = record(RecordKind::kProfile, profiles.back());
    json["attempt"] = id;
    json["candidate_hash"] = or_null(candidate);
    add_fields(json, to_json(*attempt.profile));
    TRY_VOID(sink_(RecordKind::kProfile, json));
  }

  Json json = record(RecordKind::kAttempt, id);
  Json fields = to_json(attempt);
  for (const char* elsewhere : {"builds", "verdict", "profile"}) fields.erase(elsewhere);
  add_fields(json, fields);
  json["builds"] = builds;
  json["verdict"] = or_null(verdict);
  TRY_VOID(sink_(RecordKind::kAttempt, json));

  if (!attempt.outcome.verified()) return ok();
  if (candidate.empty() || verdict.empty()) {
    return Error(Code::kInternal,
                 "attempt " + short_id(id) + " is verified without a candidate or a verdict");
  }
  const std::string sample_name = sample_id(attempt.task_hash, candidate);
  if (!written_samples_.insert(sample_name).second) return ok();
  Json sample = record(RecordKind::kSample, sample_name);
  sample["task"] = attempt.task_hash;
  sample["attempt"] = id;
  sample["candidate"] = candidate;
  sample["builds"] = builds;
  sample["verdict"] = verdict;
  sample["profiles"] = profiles;
  const auto extension = extension_of_ ? extension_of_(task, attempt) : std::nullopt;
  sample["extension_text"] = extension ? Json(*extension) : Json(nullptr);
  return sink_(RecordKind::kSample, sample);
}

Result<void> RecordWriter::write_refused(const std::string& task_hash, const std::string& mark) {
  Json json = record(RecordKind::kRefusal, sha256_of({{"record", "refusal"}, {"task", task_hash}}));
  json["task"] = task_hash;
  json["source"] = nullptr;
  json["reason"] = mark;
  return sink_(RecordKind::kRefusal, json);
}

Result<void> RecordWriter::write_rejected(const std::string& source, const std::string& reason) {
  Json json = record(RecordKind::kRefusal, sha256_of({{"record", "refusal"}, {"source", source}}));
  json["task"] = nullptr;
  json["source"] = source;
  json["reason"] = reason;
  return sink_(RecordKind::kRefusal, json);
}

}  // namespace kvgen
