#include "kvgen/store/run_journal.h"

#include "kvgen/base/hash.h"
#include "store/database.h"
#include "store/run_lock.h"
#include "store/settings.h"

namespace kvgen {
namespace {

constexpr std::string_view kJournalFile = "journal.sqlite";

class SqliteJournal : public RunJournal {
 public:
  SqliteJournal(RunOptions options, std::optional<RunLock> lock, Database db, const Clock& clock)
      : options_(std::move(options)), lock_(std::move(lock)), db_(std::move(db)), clock_(clock) {}

  Result<void> begin_or_resume();
  Result<void> load_settings();

  const fs::path& folder() const override { return options_.folder; }
  bool resumed() const override { return resumed_; }
  const Json& settings() const override { return options_.settings; }

  Result<void> add_task(const Task& task) override;
  Result<void> add_rejected_source(const std::string& source, const std::string& reason) override;
  Result<void> begin_attempt(const std::string& task_hash, int turn) override;
  Result<void> about_to_ask(const std::string& task_hash, int turn) override;
  Result<void> nothing_bought(const std::string& task_hash, int turn) override;
  Result<void> keep_reply(const std::string& task_hash, int turn, const Reply& reply) override;
  Result<std::optional<Reply>> kept_reply(const std::string& task_hash, int turn) override;
  Result<void> finish_attempt(const Attempt& attempt) override;
  Result<std::vector<Attempt>> finished_attempts(const std::string& task_hash) override;
  Result<void> finish_task(const std::string& task_hash) override;
  Result<bool> task_finished(const std::string& task_hash) override;

  Result<std::vector<std::string>> task_hashes() override;
  Result<Task> task(const std::string& hash) override;
  Result<std::string> task_name(const std::string& hash) override;
  Result<std::vector<RejectedSource>> rejected_sources() override;
  Result<void> expect_sources(std::size_t count) override;
  Result<void> note_source(const std::string& stamp, const std::string& task_hash) override;
  Result<std::unordered_map<std::string, std::string>> finished_sources() override;
  Result<std::unordered_set<std::string>> unjudged_sources() override;
  Result<void> refuse_task(const std::string& hash, const std::string& mark) override;
  Result<std::optional<std::string>> refused(const std::string& hash) override;
  Result<void> note_error(const std::string& task, const std::string& message) override;
  Result<std::int64_t> possibly_bought_twice() override;
  Result<void> register_shards(const std::vector<ShardEntry>& shards) override;
  Result<std::vector<ShardEntry>> shards() override;

 private:
  std::string now() const { return utc_text(clock_.wall()); }
  void set(const char* key, const std::string& value);
  void note_opened();
  Result<std::optional<std::string>> get(const char* key);
  Result<void> update_asked(const std::string& task_hash, int turn, const char* sql);
  Result<std::optional<Reply>> reply_of(const SQLite::Statement& row) const;

  RunOptions options_;
  std::optional<RunLock> lock_;  // none when only read
  Database db_;
  const Clock& clock_;
  bool resumed_ = false;
};

Error out_of_order(const std::string& what, const std::string& task_hash, int turn) {
  return {Code::kInternal, "journal: " + what + " (task " + short_id(task_hash) + ", turn " +
                               std::to_string(turn) + ")"};
}

Error unknown_task(const std::string& hash) {
  return {Code::kNotFound, "the run has no task " + short_id(hash)};
}

// Replies are kept byte for byte beside the record, so the record leaves its copy out.
std::string record_of(const Attempt& attempt) {
  Json json = to_json(attempt);
  json["reply"] = nullptr;
  return to_line(json);
}

void SqliteJournal::set(const char* key, const std::string& value) {
  auto put = db_.prepare("INSERT OR REPLACE INTO run (key, value) VALUES (?, ?)");
  put.bind(1, key);
  put.bind(2, value);
  put.exec();
}

// For `status`: its pace is of this process alone, and by a clock that does not jump.
void SqliteJournal::note_opened() {
  auto row = db_.prepare("SELECT count(*) FROM task WHERE finished");
  row.executeStep();
  set("opened", now());
  set("opened_instant_ns", std::to_string(clock_.now().time_since_epoch().count()));
  set("finished_when_opened", std::to_string(row.getColumn(0).getInt64()));
}

Result<std::optional<std::string>> SqliteJournal::get(const char* key) {
  auto row = db_.prepare("SELECT value FROM run WHERE key = ?");
  row.bind(1, key);
  if (!row.executeStep()) return std::optional<std::string>();
  return std::optional<std::string>(row.getColumn(0).getString());
}

Result<void> SqliteJournal::begin_or_resume() {
  const Json settings = options_.settings;
  TRY(const auto stored, db_.guarded([&] { return get("settings"); }));
  if (!stored) {
    return db_.committed([&]() -> Result<void> {
      set("settings", to_line(settings));
      set("begun", now());
      note_opened();
      return ok();
    });
  }
  TRY_VOID(load_settings());
  resumed_ = true;
  const auto differing = settings_that_differ(options_.settings, settings);
  if (differing.empty()) {
    return db_.committed([&]() -> Result<void> {
      note_opened();
      return ok();
    });
  }
  std::string list;
  for (const std::string& line : differing) list += (list.empty() ? "" : "; ") + line;
  return Error(Code::kConflict, options_.folder.string() + " was begun with other settings (" +
                                    list + "); use those again or choose another folder");
}

Result<void> SqliteJournal::load_settings() {
  TRY(const auto stored, db_.guarded([&] { return get("settings"); }));
  if (!stored) {
    return Error(Code::kNotFound, options_.folder.string() + " holds no run");
  }
  TRY(options_.settings, parse_json(*stored));
  return ok();
}

Result<void> SqliteJournal::add_task(const Task& task) {
  return db_.committed([&]() -> Result<void> {
    auto put = db_.prepare(
        "INSERT INTO task (hash, name, bundle) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING");
    put.bind(1, task.hash);
    put.bind(2, task.name);
    put.bind(3, to_line(to_json(task)));
    put.exec();
    return ok();
  });
}

Result<void> SqliteJournal::add_rejected_source(const std::string& source,
                                                const std::string& reason) {
  return db_.committed([&]() -> Result<void> {
    auto put = db_.prepare(
        "INSERT INTO rejected_source (source, reason) VALUES (?, ?) "
        "ON CONFLICT (source) DO UPDATE SET reason = excluded.reason");
    put.bind(1, source);
    put.bind(2, reason);
    put.exec();
    return ok();
  });
}

Result<void> SqliteJournal::begin_attempt(const std::string& task_hash, int turn) {
  return db_.committed([&]() -> Result<void> {
    auto known = db_.prepare("SELECT 1 FROM task WHERE hash = ?");
    known.bind(1, task_hash);
    if (!known.executeStep()) return unknown_task(task_hash);
    auto row = db_.prepare("SELECT record IS NOT NULL FROM attempt WHERE task = ? AND turn = ?");
    row.bind(1, task_hash);
    row.bind(2, turn);
    if (row.executeStep() && row.getColumn(0).getInt() != 0) {
      return out_of_order("begun after it was finished", task_hash, turn);
    }
    auto put = db_.prepare(
        "INSERT INTO attempt (task, turn, begun) VALUES (?, ?, ?) "
        "ON CONFLICT (task, turn) DO NOTHING");
    put.bind(1, task_hash);
    put.bind(2, turn);
    put.bind(3, now());
    put.exec();
    return ok();
  });
}

Result<void> SqliteJournal::about_to_ask(const std::string& task_hash, int turn) {
  return update_asked(task_hash, turn,
                      "UPDATE attempt SET times_asked = times_asked + 1, "
                      "possibly_bought_twice = possibly_bought_twice + in_flight, in_flight = 1 "
                      "WHERE task = ? AND turn = ? AND reply IS NULL AND record IS NULL");
}

Result<void> SqliteJournal::nothing_bought(const std::string& task_hash, int turn) {
  return update_asked(task_hash, turn,
                      "UPDATE attempt SET in_flight = 0 "
                      "WHERE task = ? AND turn = ? AND reply IS NULL AND record IS NULL");
}

Result<void> SqliteJournal::update_asked(const std::string& task_hash, int turn, const char* sql) {
  return db_.committed([&]() -> Result<void> {
    auto put = db_.prepare(sql);
    put.bind(1, task_hash);
    put.bind(2, turn);
    if (put.exec() == 1) return ok();
    return out_of_order("a request that no attempt waits for", task_hash, turn);
  });
}

Result<void> SqliteJournal::keep_reply(const std::string& task_hash, int turn, const Reply& reply) {
  const auto keep = [&]() -> Result<void> {
    auto put = db_.prepare(
        "UPDATE attempt SET reply = ?, reply_origin = ?, in_flight = 0 "
        "WHERE task = ? AND turn = ? AND reply IS NULL AND record IS NULL");
    put.bind(1, reply.text.data(), static_cast<int>(reply.text.size()));
    put.bind(2, to_line(reply.origin));
    put.bind(3, task_hash);
    put.bind(4, turn);
    if (put.exec() == 1) return ok();
    return out_of_order("a reply that nobody waits for", task_hash, turn);
  };
  // What was paid for reaches the disk before it is used; another reply is made again.
  return options_.paid_generator ? db_.committed_to_disk(keep) : db_.committed(keep);
}

Result<std::optional<Reply>> SqliteJournal::reply_of(const SQLite::Statement& row) const {
  const auto text = row.getColumn(0);
  if (text.isNull()) return std::optional<Reply>();
  Reply reply;
  reply.text.assign(static_cast<const char*>(text.getBlob()),
                    static_cast<std::size_t>(text.getBytes()));
  TRY(reply.origin, parse_json(row.getColumn(1).getString()));
  return std::optional<Reply>(std::move(reply));
}

Result<std::optional<Reply>> SqliteJournal::kept_reply(const std::string& task_hash, int turn) {
  return db_.guarded([&]() -> Result<std::optional<Reply>> {
    auto row = db_.prepare("SELECT reply, reply_origin FROM attempt WHERE task = ? AND turn = ?");
    row.bind(1, task_hash);
    row.bind(2, turn);
    if (!row.executeStep()) return std::optional<Reply>();
    return reply_of(row);
  });
}

Result<void> SqliteJournal::finish_attempt(const Attempt& attempt) {
  const std::string record = record_of(attempt);
  return db_.committed([&]() -> Result<void> {
    auto row = db_.prepare(
        "SELECT reply, reply_origin, record FROM attempt "
        "WHERE task = ? AND turn = ?");
    row.bind(1, attempt.task_hash);
    row.bind(2, attempt.turn);
    if (!row.executeStep()) {
      return out_of_order("finished before it was begun", attempt.task_hash, attempt.turn);
    }
    TRY(const std::optional<Reply> kept, reply_of(row));
    if (kept.has_value() != attempt.reply.has_value() ||
        (kept && kept->text != attempt.reply->text)) {
      return out_of_order("finished with another reply than was kept", attempt.task_hash,
                          attempt.turn);
    }
    const auto finished = row.getColumn(2);
    if (!finished.isNull()) {
      if (finished.getString() == record) return ok();
      return out_of_order("finished twice", attempt.task_hash, attempt.turn);
    }
    auto put = db_.prepare("UPDATE attempt SET record = ? WHERE task = ? AND turn = ?");
    put.bind(1, record);
    put.bind(2, attempt.task_hash);
    put.bind(3, attempt.turn);
    put.exec();
    return ok();
  });
}

Result<std::vector<Attempt>> SqliteJournal::finished_attempts(const std::string& task_hash) {
  return db_.guarded([&]() -> Result<std::vector<Attempt>> {
    auto row = db_.prepare(
        "SELECT reply, reply_origin, record, turn, possibly_bought_twice FROM attempt "
        "WHERE task = ? AND record IS NOT NULL ORDER BY turn");
    row.bind(1, task_hash);
    std::vector<Attempt> attempts;
    while (row.executeStep()) {
      const std::string where = "journal: task " + short_id(task_hash) + ", turn " +
                                std::to_string(row.getColumn(3).getInt());
      TRY(const Json json, parse_json(row.getColumn(2).getString(), {.bytes = 1UL << 30}));
      TRY(Attempt attempt, attempt_from(json, where));
      TRY(attempt.reply, reply_of(row));
      attempt.possibly_bought_twice = row.getColumn(4).getInt();
      attempts.push_back(std::move(attempt));
    }
    return attempts;
  });
}

Result<void> SqliteJournal::finish_task(const std::string& task_hash) {
  return db_.committed([&]() -> Result<void> {
    auto put = db_.prepare("UPDATE task SET finished = 1 WHERE hash = ?");
    put.bind(1, task_hash);
    if (put.exec() == 0) return unknown_task(task_hash);
    return ok();
  });
}

Result<bool> SqliteJournal::task_finished(const std::string& task_hash) {
  return db_.guarded([&]() -> Result<bool> {
    auto row = db_.prepare("SELECT finished FROM task WHERE hash = ?");
    row.bind(1, task_hash);
    return row.executeStep() && row.getColumn(0).getInt() != 0;
  });
}

Result<std::vector<std::string>> SqliteJournal::task_hashes() {
  return db_.guarded([&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> hashes;
    auto row = db_.prepare("SELECT hash FROM task ORDER BY name, hash");
    while (row.executeStep()) hashes.push_back(row.getColumn(0).getString());
    return hashes;
  });
}

Result<std::string> SqliteJournal::task_name(const std::string& hash) {
  return db_.guarded([&]() -> Result<std::string> {
    auto row = db_.prepare("SELECT name FROM task WHERE hash = ?");
    row.bind(1, hash);
    if (!row.executeStep()) return unknown_task(hash);
    return row.getColumn(0).getString();
  });
}

Result<Task> SqliteJournal::task(const std::string& hash) {
  return db_.guarded([&]() -> Result<Task> {
    auto row = db_.prepare("SELECT bundle FROM task WHERE hash = ?");
    row.bind(1, hash);
    if (!row.executeStep()) return unknown_task(hash);
    TRY(const Json json, parse_json(row.getColumn(0).getString(), {.bytes = 1UL << 30}));
    return task_from(json, "journal: task " + short_id(hash));
  });
}

Result<std::vector<RejectedSource>> SqliteJournal::rejected_sources() {
  return db_.guarded([&]() -> Result<std::vector<RejectedSource>> {
    std::vector<RejectedSource> sources;
    auto row = db_.prepare("SELECT source, reason FROM rejected_source ORDER BY source");
    while (row.executeStep()) {
      sources.push_back({row.getColumn(0).getString(), row.getColumn(1).getString()});
    }
    return sources;
  });
}

Result<void> SqliteJournal::expect_sources(std::size_t count) {
  return db_.committed([&]() -> Result<void> {
    set("sources", std::to_string(count));
    return ok();
  });
}

Result<void> SqliteJournal::note_source(const std::string& stamp, const std::string& task_hash) {
  return db_.committed([&]() -> Result<void> {
    auto put = db_.prepare("INSERT OR REPLACE INTO source (stamp, task) VALUES (?, ?)");
    put.bind(1, stamp);
    put.bind(2, task_hash);
    put.exec();
    return ok();
  });
}

Result<std::unordered_map<std::string, std::string>> SqliteJournal::finished_sources() {
  return db_.guarded([&]() -> Result<std::unordered_map<std::string, std::string>> {
    std::unordered_map<std::string, std::string> tasks;
    auto row = db_.prepare(
        "SELECT stamp, task FROM source WHERE task IN (SELECT hash FROM task WHERE finished)");
    while (row.executeStep()) {
      tasks.emplace(row.getColumn(0).getString(), row.getColumn(1).getString());
    }
    return tasks;
  });
}

Result<std::unordered_set<std::string>> SqliteJournal::unjudged_sources() {
  return db_.guarded([&]() -> Result<std::unordered_set<std::string>> {
    std::unordered_set<std::string> stamps;
    auto row = db_.prepare(
        "SELECT stamp FROM source WHERE task IN "
        "(SELECT task FROM attempt WHERE reply IS NOT NULL AND record IS NULL)");
    while (row.executeStep()) stamps.insert(row.getColumn(0).getString());
    return stamps;
  });
}

Result<void> SqliteJournal::refuse_task(const std::string& hash, const std::string& mark) {
  return db_.committed([&]() -> Result<void> {
    auto put = db_.prepare("UPDATE task SET refused = ? WHERE hash = ?");
    put.bind(1, mark);
    put.bind(2, hash);
    if (put.exec() == 0) return unknown_task(hash);
    return ok();
  });
}

Result<std::optional<std::string>> SqliteJournal::refused(const std::string& hash) {
  return db_.guarded([&]() -> Result<std::optional<std::string>> {
    auto row = db_.prepare("SELECT refused FROM task WHERE hash = ?");
    row.bind(1, hash);
    if (!row.executeStep()) return unknown_task(hash);
    if (row.getColumn(0).isNull()) return std::optional<std::string>();
    return std::optional<std::string>(row.getColumn(0).getString());
  });
}

Result<void> SqliteJournal::note_error(const std::string& task, const std::string& message) {
  return db_.committed([&]() -> Result<void> {
    set("last_error", to_line({{"at", now()}, {"task", task}, {"message", message}}));
    return ok();
  });
}

Result<std::int64_t> SqliteJournal::possibly_bought_twice() {
  return db_.guarded([&]() -> Result<std::int64_t> {
    auto row = db_.prepare("SELECT coalesce(sum(possibly_bought_twice), 0) FROM attempt");
    row.executeStep();
    return row.getColumn(0).getInt64();
  });
}

Result<void> SqliteJournal::register_shards(const std::vector<ShardEntry>& shards) {
  return db_.committed([&]() -> Result<void> {
    db_.prepare("DELETE FROM shard").exec();
    auto put = db_.prepare(
        "INSERT INTO shard (file, kind, records, bytes, sha256) VALUES (?, ?, ?, ?, ?)");
    for (const ShardEntry& shard : shards) {
      put.bind(1, shard.file);
      put.bind(2, shard.kind);
      put.bind(3, shard.records);
      put.bind(4, shard.bytes);
      put.bind(5, shard.sha256);
      put.exec();
      put.reset();
    }
    return ok();
  });
}

Result<std::vector<ShardEntry>> SqliteJournal::shards() {
  return db_.guarded([&]() -> Result<std::vector<ShardEntry>> {
    std::vector<ShardEntry> shards;
    auto row = db_.prepare("SELECT kind, file, records, bytes, sha256 FROM shard ORDER BY file");
    while (row.executeStep()) {
      shards.push_back({row.getColumn(0).getString(), row.getColumn(1).getString(),
                        row.getColumn(2).getInt64(), row.getColumn(3).getInt64(),
                        row.getColumn(4).getString()});
    }
    return shards;
  });
}

}  // namespace

Result<std::unique_ptr<RunJournal>> RunJournal::open(RunOptions options, Files& files,
                                                     const Clock& clock) {
  const fs::path file = options.folder / kJournalFile;
  if (!files.exists(file) && files.exists(options.folder / "shards")) {
    return Error(Code::kInvalid,
                 options.folder.string() + " has shards but no " + std::string(kJournalFile) +
                     ", so the run cannot go on; choose another folder, or remove this one");
  }
  if (const auto bytes = files.read(file, 0); bytes.ok()) {
    for (const char* made : {"shards", "tasks"}) {
      if (!files.exists(options.folder / made)) continue;
      return Error(Code::kInvalid, file.string() + " is empty, but there is " +
                                       (options.folder / made).string() +
                                       ": the journal was cut off; restore it from a copy, or "
                                       "choose another folder");
    }
  }
  TRY_VOID(files.make_folder(options.folder));
  TRY(RunLock lock, RunLock::take(options.folder));
  TRY(Database db, Database::open(file, Database::Access::kReadWrite));
  auto journal =
      std::make_unique<SqliteJournal>(std::move(options), std::move(lock), std::move(db), clock);
  TRY_VOID(journal->begin_or_resume());
  return std::unique_ptr<RunJournal>(std::move(journal));
}

Result<std::optional<Json>> RunJournal::settings_in(const fs::path& folder, Files& files) {
  const fs::path file = folder / kJournalFile;
  if (!files.exists(file)) return std::optional<Json>();
  TRY(Database db, Database::open(file, Database::Access::kGlance));
  return db.guarded([&]() -> Result<std::optional<Json>> {
    auto row = db.prepare("SELECT value FROM run WHERE key = 'settings'");
    if (!row.executeStep()) return std::optional<Json>();
    TRY(Json settings, parse_json(row.getColumn(0).getString()));
    return std::optional<Json>(std::move(settings));
  });
}

Result<std::unique_ptr<RunJournal>> RunJournal::open_existing(const fs::path& folder, Files& files,
                                                              const Clock& clock) {
  const fs::path file = folder / kJournalFile;
  if (!files.exists(file)) {
    return Error(Code::kNotFound,
                 folder.string() + " holds no run (no " + std::string(kJournalFile) + ")");
  }
  TRY(Database db, Database::open(file, Database::Access::kReadOnly));
  RunOptions options;
  options.folder = folder;
  auto journal =
      std::make_unique<SqliteJournal>(std::move(options), std::nullopt, std::move(db), clock);
  TRY_VOID(journal->load_settings());
  return std::unique_ptr<RunJournal>(std::move(journal));
}

}  // namespace kvgen
