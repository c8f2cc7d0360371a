#include "store/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>

namespace kvgen {
namespace {

constexpr int kApplicationId = 0x6b76676e;  // "kvgn", at byte 68 of the file
constexpr int kSchemaVersion = 2;
constexpr std::int64_t kCheckedBytes = 64L << 20;  // a larger one takes seconds to read
constexpr int kBusyMilliseconds = 5000;            // a reader's checkpoint, not another run

constexpr const char* kSchema = R"sql(
CREATE TABLE run (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE task (
  hash TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  bundle TEXT NOT NULL,
  finished INTEGER NOT NULL DEFAULT 0,
  refused TEXT
);
-- Whether a task is finished stands behind its bundle: without this, thousands of bundles are read.
CREATE INDEX finished_task ON task(hash) WHERE finished;
CREATE TABLE source (
  stamp TEXT PRIMARY KEY,
  task TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE rejected_source (
  source TEXT PRIMARY KEY,
  reason TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE attempt (
  task TEXT NOT NULL REFERENCES task(hash),
  turn INTEGER NOT NULL,
  begun TEXT NOT NULL,
  times_asked INTEGER NOT NULL DEFAULT 0,
  in_flight INTEGER NOT NULL DEFAULT 0,
  possibly_bought_twice INTEGER NOT NULL DEFAULT 0,
  reply BLOB,
  reply_origin TEXT,
  record TEXT,
  PRIMARY KEY (task, turn)
);
CREATE TABLE shard (
  file TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  records INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL
) WITHOUT ROWID;
)sql";

Error not_a_journal(const fs::path& path, const std::string& why) {
  return {Code::kInvalid,
          path.string() + " " + why + "; choose another folder, or remove this one to begin anew"};
}

// SQLite lists several faults in several lines; a message is one.
Error damaged(const fs::path& path, std::string why) {
  std::replace(why.begin(), why.end(), '\n', ' ');
  return {Code::kInvalid, path.string() + " is damaged (" + why +
                              "); restore it from a copy, or save what is left with `sqlite3 " +
                              path.string() + " .recover` and begin anew in another folder"};
}

Error error_of(int code, int system_error, const std::string& what, const fs::path& path) {
  const bool denied = system_error == EACCES || system_error == EPERM || system_error == EROFS;
  switch (code) {
    case SQLITE_FULL:
      return io_error("cannot write", path, ENOSPC);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return io_error("cannot write", path, denied ? system_error : EACCES);
    case SQLITE_CANTOPEN:
      return io_error("cannot open", path, system_error != 0 ? system_error : EACCES);
    case SQLITE_NOTADB:
      return not_a_journal(path, "is not a journal of kvgen");
    case SQLITE_CORRUPT:
      return damaged(path, what);
    case SQLITE_BUSY:
    case SQLITE_LOCKED: {
      Error busy(Code::kConflict, path.string() + " is held by another program");
      return busy.set_retryable();
    }
    case SQLITE_IOERR:
      if (system_error != 0) return io_error("cannot read or write", path, system_error);
      return {Code::kIo, "cannot read or write " + path.string() + ": " + what};
    default:
      return {Code::kInternal, path.string() + ": " + what};
  }
}

}  // namespace

Error Database::error(const SQLite::Exception& cause) const {
  const int system_error = db_ ? sqlite3_system_errno(db_->getHandle()) : errno;
  return error_of(cause.getErrorCode() & 0xff, system_error, cause.what(), path_);
}

Result<Database> Database::open(const fs::path& path, Access access) {
  const int flags = access == Access::kReadWrite ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE
                                                 : SQLite::OPEN_READWRITE;
  Database database(nullptr, path);
  errno = 0;
  TRY_VOID(database.guarded([&]() -> Result<void> {
    database.db_ = std::make_unique<SQLite::Database>(path.string(), flags, kBusyMilliseconds);
    TRY_VOID(database.check_and_create(access));
    // In WAL mode a commit survives the death of this process without waiting for the disk.
    database.db_->exec("PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON");
    if (access != Access::kReadWrite) database.db_->exec("PRAGMA query_only=ON");
    return ok();
  }));
  return database;
}

Result<void> Database::check_and_create(Access access) {
  const int id = db_->execAndGet("PRAGMA application_id").getInt();
  const int version = db_->execAndGet("PRAGMA user_version").getInt();
  const int tables = db_->execAndGet("SELECT count(*) FROM sqlite_master").getInt();
  if (id == 0 && version == 0 && tables == 0) {
    if (access == Access::kReadWrite) return create_schema();
    return not_a_journal(path_, "is empty: no run was begun in it, or it was cut off");
  }
  if (id != kApplicationId) {
    return not_a_journal(path_, "is an SQLite file, but not a journal of kvgen");
  }
  if (version != kSchemaVersion) {
    return not_a_journal(path_, "has schema " + std::to_string(version) + ", this kvgen knows " +
                                    std::to_string(kSchemaVersion));
  }
  return access == Access::kGlance ? ok() : check_pages();
}

Result<void> Database::create_schema() {
  db_->exec("PRAGMA journal_mode=WAL");
  SQLite::Transaction transaction(*db_, SQLite::TransactionBehavior::EXCLUSIVE);
  db_->exec(kSchema);
  db_->exec("PRAGMA application_id=" + std::to_string(kApplicationId));
  db_->exec("PRAGMA user_version=" + std::to_string(kSchemaVersion));
  transaction.commit();
  return ok();
}

// A torn file may open and read well for long; better to know before money is spent.
Result<void> Database::check_pages() {
  const std::int64_t bytes = db_->execAndGet("PRAGMA page_count").getInt64() *
                             db_->execAndGet("PRAGMA page_size").getInt64();
  if (bytes > kCheckedBytes) return ok();
  SQLite::Statement check(*db_, "PRAGMA quick_check(1)");
  if (!check.executeStep()) return damaged(path_, "no answer to quick_check");
  const std::string answer = check.getColumn(0).getString();
  if (answer != "ok") return damaged(path_, answer.substr(0, 200));
  return ok();
}

}  // namespace kvgen
