#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>

#include "kvgen/base/files.h"
#include "kvgen/base/result.h"

namespace kvgen {

// The journal's file: opened, checked, of the present schema. SQLite's exceptions
// end here.
class Database {
 public:
  // kGlance: read-only, and trusts the file's pages instead of going through all of them.
  enum class Access { kGlance, kReadOnly, kReadWrite };

  // Made when missing, or empty, and writable.
  static Result<Database> open(const fs::path& path, Access access);

  // Runs `work`, which returns a Result and may throw what SQLiteCpp throws.
  template <class Work>
  auto guarded(Work work) -> decltype(work()) {
    try {
      return work();
    } catch (const SQLite::Exception& cause) {
      return error(cause);
    }
  }

  // The same in one transaction; rolled back when `work` throws or gives an Error.
  // It outlives this process; through committed_to_disk also a loss of power.
  template <class Work>
  auto committed(Work work) -> decltype(work()) {
    return guarded([&]() -> decltype(work()) {
      SQLite::Transaction transaction(*db_, SQLite::TransactionBehavior::IMMEDIATE);
      auto result = work();
      if (result.ok()) transaction.commit();
      return result;
    });
  }
  // Several reads that see one state of the journal.
  template <class Work>
  auto committed_reads(Work work) -> decltype(work()) {
    return guarded([&]() -> decltype(work()) {
      SQLite::Transaction transaction(*db_, SQLite::TransactionBehavior::DEFERRED);
      return work();
    });
  }
  template <class Work>
  auto committed_to_disk(Work work) -> decltype(work()) {
    db_->exec("PRAGMA synchronous=FULL");
    auto result = committed(std::move(work));
    db_->exec("PRAGMA synchronous=NORMAL");
    return result;
  }

  [[nodiscard]] SQLite::Statement prepare(const char* sql) const { return {*db_, sql}; }

 private:
  Database(std::unique_ptr<SQLite::Database> db, fs::path path)
      : db_(std::move(db)), path_(std::move(path)) {}

  Result<void> check_and_create(Access access);
  Result<void> create_schema();
  Result<void> check_pages();
  [[nodiscard]] Error error(const SQLite::Exception& cause) const;

  std::unique_ptr<SQLite::Database> db_;
  fs::path path_;
};

}  // namespace kvgen
