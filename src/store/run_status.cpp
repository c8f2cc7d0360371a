#include "kvgen/store/run_status.h"

#include <algorithm>

#include "kvgen/base/number.h"
#include "store/database.h"
#include "store/run_lock.h"

namespace kvgen {
namespace {

std::int64_t count(const Database& db, const char* sql) {
  auto row = db.prepare(sql);
  return row.executeStep() ? row.getColumn(0).getInt64() : 0;
}

std::string value_of(const Database& db, const char* key) {
  auto row = db.prepare("SELECT value FROM run WHERE key = ?");
  row.bind(1, key);
  return row.executeStep() ? row.getColumn(0).getString() : "";
}

}  // namespace

Result<RunStatus> read_status(Files& files, const fs::path& run) {
  const fs::path path = run / "journal.sqlite";
  if (!files.exists(path)) {
    return Error(Code::kNotFound, run.string() + " holds no run (no journal.sqlite)");
  }
  TRY(Database db, Database::open(path, Database::Access::kGlance));
  RunStatus status;
  TRY_VOID(db.committed_reads([&]() -> Result<void> {
    status.tasks = count(db, "SELECT count(*) FROM task");
    status.finished = count(db, "SELECT count(*) FROM task WHERE finished");
    status.refused = count(db, "SELECT count(*) FROM task WHERE refused IS NOT NULL");
    status.rejected_sources = count(db, "SELECT count(*) FROM rejected_source");
    status.begun_attempts = count(db, "SELECT count(*) FROM attempt WHERE record IS NULL");
    status.possibly_bought_twice =
        count(db, "SELECT coalesce(sum(possibly_bought_twice), 0) FROM attempt");
    status.verified = count(db,
                            "SELECT count(DISTINCT task) FROM attempt "
                            "WHERE json_extract(record, '$.outcome.kind') = 'verified'");
    auto row = db.prepare(
        "SELECT json_extract(record, '$.outcome.kind'), count(*) FROM attempt "
        "WHERE record IS NOT NULL GROUP BY 1");
    while (row.executeStep()) {
      status.outcomes[row.getColumn(0).getString()] = row.getColumn(1).getInt64();
    }
    status.begun = value_of(db, "begun");
    status.opened = value_of(db, "opened");
    const auto before = leading_integer(value_of(db, "finished_when_opened"));
    status.finished_since_opened = before ? status.finished - *before : 0;
    if (const auto ns = leading_integer(value_of(db, "opened_instant_ns"))) {
      status.opened_instant = Clock::Instant(std::chrono::nanoseconds(*ns));
    }
    // Sources become tasks one by one.
    const std::int64_t sources = leading_integer(value_of(db, "sources")).value_or(0);
    status.tasks = std::max(status.tasks, sources - status.rejected_sources);
    const std::string error = value_of(db, "last_error");
    if (!error.empty()) {
      TRY(status.last_error, parse_json(error));
    }
    return ok();
  }));
  status.owner = holder_of_run(run);
  return status;
}

}  // namespace kvgen
