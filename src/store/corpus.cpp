#include "kvgen/store/corpus.h"

#include <algorithm>
#include <map>
#include <set>

#include "kvgen/base/hash.h"
#include "kvgen/store/run_journal.h"
#include "kvgen/store/shards.h"
#include "store/records.h"

namespace kvgen {
namespace {

constexpr std::size_t kShortestId = 4;

Result<void> check_id(const std::string& id) {
  const bool hexadecimal = id.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (hexadecimal && id.size() >= kShortestId && id.size() <= 64) return ok();
  return Error(Code::kUsage, "\"" + id + "\" is not an id: at least " +
                                 std::to_string(kShortestId) +
                                 " of its hexadecimal digits, as `show` and the shards have them");
}

// Of what begins with the prefix, the only one.
Result<std::string> only_one(const std::set<std::string>& found, const std::string& prefix,
                             const std::string& kind, const fs::path& from) {
  if (found.empty()) {
    return Error(Code::kNotFound,
                 from.string() + " has no " + kind + " that begins with " + prefix);
  }
  if (found.size() == 1) return *found.begin();
  std::string list;
  for (const std::string& id : found) list += (list.empty() ? "" : ", ") + short_id(id);
  return Error(Code::kConflict, std::to_string(found.size()) + " " + kind + "s fit " + prefix +
                                    ": " + list.substr(0, 200) + "; give more digits");
}

bool fits(const std::string& prefix, const Attempt& attempt, const std::string& id) {
  if (id.starts_with(prefix)) return true;
  if (!attempt.candidate) return false;
  if (attempt.candidate->hash.starts_with(prefix)) return true;
  return attempt.outcome.verified() &&
         sample_id(attempt.task_hash, attempt.candidate->hash).starts_with(prefix);
}

StoredAttempt stored(Task task, Attempt attempt, std::string id) {
  StoredAttempt out;
  if (attempt.candidate) {
    const Candidate& candidate = *attempt.candidate;
    if (candidate_hash(candidate.source, candidate.plan_text) != candidate.hash) {
      out.faults.push_back("the candidate's source or plan is not what its hash " +
                           short_id(candidate.hash) + " was made of");
    }
    if (attempt.outcome.verified()) out.sample = sample_id(attempt.task_hash, candidate.hash);
  }
  if (attempt.id() != id) {
    out.faults.push_back("the task, turn or reply is not what the attempt's id was made of");
  }
  out.id = std::move(id);
  out.task = std::move(task);
  out.attempt = std::move(attempt);
  return out;
}

class JournalCorpus : public Corpus {
 public:
  explicit JournalCorpus(std::unique_ptr<RunJournal> journal) : journal_(std::move(journal)) {}

  Result<StoredAttempt> attempt(const std::string& prefix) override {
    TRY_VOID(check_id(prefix));
    TRY(const std::vector<std::string> hashes, journal_->task_hashes());
    std::map<std::string, Attempt> found;
    for (const std::string& hash : hashes) {
      TRY(std::vector<Attempt> attempts, journal_->finished_attempts(hash));
      for (Attempt& one : attempts) {
        std::string id = one.id();
        if (fits(prefix, one, id)) found.emplace(std::move(id), std::move(one));
      }
    }
    std::set<std::string> ids;
    for (const auto& [id, one] : found) ids.insert(id);
    TRY(const std::string id, only_one(ids, prefix, "attempt", journal_->folder()));
    Attempt attempt = std::move(found.at(id));
    TRY(Task task, journal_->task(attempt.task_hash));
    return stored(std::move(task), std::move(attempt), id);
  }

  Result<Task> task(const std::string& wanted) override {
    TRY(const std::vector<std::string> hashes, journal_->task_hashes());
    std::set<std::string> ids;
    for (const std::string& hash : hashes) {
      if (hash.starts_with(wanted)) {
        ids.insert(hash);
      } else {
        TRY(const std::string name, journal_->task_name(hash));
        if (name == wanted) ids.insert(hash);
      }
    }
    TRY(const std::string id, only_one(ids, wanted, "task", journal_->folder()));
    return journal_->task(id);
  }

 private:
  std::unique_ptr<RunJournal> journal_;
};

// Records as records.cpp writes them, back to values.
class ShardCorpus : public Corpus {
 public:
  ShardCorpus(Files& files, fs::path folder) : files_(files), folder_(std::move(folder)) {}

  Result<StoredAttempt> attempt(const std::string& prefix) override {
    TRY_VOID(check_id(prefix));
    TRY(const Json record, attempt_record(prefix));
    Fields fields(record, (folder_ / "attempts").string());
    const auto id = fields.get<std::string>("id");
    const auto task_hash = fields.get<std::string>("task");
    const auto builds = fields.get<std::vector<std::string>>("builds");
    const auto verdict = fields.maybe<std::string>("verdict");
    TRY_VOID(fields.finish_allowing_unknown());

    Json json = record;
    for (const char* key : {"kind", "schema", "id"}) json.erase(key);
    json["builds"] = Json::array();
    for (const std::string& build : builds) {
      TRY(Json one, record_of("build", build));
      one["target"] = one["compiled_for"];
      for (const char* key : {"kind", "schema", "id", "candidate", "compiled_for"}) one.erase(key);
      json["builds"].push_back(std::move(one));
    }
    json["verdict"] = nullptr;
    if (verdict) {
      TRY(json["verdict"], record_of("verdict", *verdict));
      for (const char* key : {"kind", "schema", "id", "attempt", "candidate"}) {
        json["verdict"].erase(key);
      }
    }
    TRY(json["profile"], profile_of(id));
    TRY(Attempt attempt, attempt_from(json, folder_.string() + ": attempt " + short_id(id)));
    TRY(Task task, this->task(task_hash));
    return stored(std::move(task), std::move(attempt), id);
  }

  Result<Task> task(const std::string& wanted) override {
    std::map<std::string, Json> found;
    TRY_VOID(each("task", [&](const Json& record) {
      const std::string id = record.value("id", "");
      if (id.starts_with(wanted) || record.value("name", "") == wanted) found[id] = record;
    }));
    std::set<std::string> ids;
    for (const auto& [id, record] : found) ids.insert(id);
    TRY(const std::string id, only_one(ids, wanted, "task", folder_));
    const Json& bundle = found.at(id).value("bundle", Json());
    TRY(Task task, task_from(bundle, folder_.string() + ": task " + short_id(id)));
    return task;
  }

 private:
  // Every record of a kind, shard by shard.
  template <class Visit>
  Result<void> each(const std::string& kind, Visit visit) {
    TRY(const std::vector<std::string> names, files_.list(folder_));
    for (const std::string& name : names) {
      if (!name.starts_with(kind + "s-") || !name.ends_with(".jsonl.zst")) continue;
      TRY(const std::vector<Json> records, read_shard(files_, folder_ / name));
      for (const Json& record : records) {
        if (!record.is_object() || record.value("kind", Json()) != Json(kind) ||
            !record.value("id", Json()).is_string()) {
          return Error(Code::kInvalid,
                       (folder_ / name).string() + " holds what is not a " + kind + " record");
        }
        visit(record);
      }
    }
    return ok();
  }

  Result<Json> record_of(const std::string& kind, const std::string& id) {
    Json found;
    TRY_VOID(each(kind, [&](const Json& record) {
      if (record["id"] == Json(id)) found = record;
    }));
    if (!found.is_null()) return found;
    return Error(Code::kNotFound, folder_.string() + " lacks the " + kind + " " + short_id(id) +
                                      " that an attempt names: are all shards there?");
  }

  Result<Json> profile_of(const std::string& attempt) {
    Json found;
    TRY_VOID(each("profile", [&](const Json& record) {
      if (found.is_null() && record.value("attempt", Json()) == Json(attempt)) found = record;
    }));
    if (found.is_null()) return found;
    for (const char* key : {"kind", "schema", "id", "attempt", "candidate_hash"}) found.erase(key);
    return found;
  }

  Result<Json> attempt_record(const std::string& prefix) {
    std::set<std::string> samples;  // attempts whose sample fits
    TRY_VOID(each("sample", [&](const Json& record) {
      if (!record["id"].get<std::string>().starts_with(prefix)) return;
      const Json attempt = record.value("attempt", Json());
      if (attempt.is_string()) samples.insert(attempt.get<std::string>());
    }));
    std::map<std::string, Json> found;
    TRY_VOID(each("attempt", [&](const Json& record) {
      const std::string id = record["id"];
      const Json& candidate = record.value("candidate", Json());
      const Json hash = candidate.is_object() ? candidate.value("hash", Json()) : Json();
      if (id.starts_with(prefix) || samples.contains(id) ||
          (hash.is_string() && hash.get<std::string>().starts_with(prefix))) {
        found[id] = record;
      }
    }));
    std::set<std::string> ids;
    for (const auto& [id, record] : found) ids.insert(id);
    TRY(const std::string id, only_one(ids, prefix, "attempt", folder_));
    return found.at(id);
  }

  Files& files_;
  fs::path folder_;
};

bool has_shards(Files& files, const fs::path& folder) {
  const auto names = files.list(folder);
  return names.ok() && std::any_of(names->begin(), names->end(), [](const std::string& name) {
           return name.starts_with("attempts-") && name.ends_with(".jsonl.zst");
         });
}

}  // namespace

Result<std::unique_ptr<Corpus>> Corpus::open(Files& files, const Clock& clock,
                                             const fs::path& from) {
  if (files.exists(from / "journal.sqlite")) {
    TRY(auto journal, RunJournal::open_existing(from, files, clock));
    return std::unique_ptr<Corpus>(std::make_unique<JournalCorpus>(std::move(journal)));
  }
  const bool is_shard = from.string().ends_with(".jsonl.zst");
  for (const fs::path& folder : {from / "shards", is_shard ? from.parent_path() : from}) {
    const fs::path here = folder.empty() ? fs::path(".") : folder;
    if (!has_shards(files, here)) continue;
    return std::unique_ptr<Corpus>(std::make_unique<ShardCorpus>(files, here));
  }
  return Error(Code::kNotFound, from.string() +
                                    " is neither a run (journal.sqlite, shards/) nor a shard "
                                    "(attempts-*.jsonl.zst and those beside it)");
}

}  // namespace kvgen
