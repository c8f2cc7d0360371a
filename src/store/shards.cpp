#include "kvgen/store/shards.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "kvgen/base/hash.h"
#include "store/records.h"
#include "store/zstd.h"

namespace kvgen {
namespace {

constexpr std::string_view kSuffix = ".jsonl.zst";

// Collects one kind's lines and writes a part whenever it is full.
class ShardStream {
 public:
  ShardStream(RecordKind kind, fs::path folder, Files& files, const ShardOptions& options)
      : kind_(kind), folder_(std::move(folder)), files_(files), options_(options) {}

  Result<void> add(const Json& record) {
    const std::string line = to_line(record) + "\n";
    if (!text_.empty() && text_.size() + line.size() > options_.split_bytes) TRY_VOID(flush());
    text_ += line;
    ++records_;
    return ok();
  }

  Result<void> finish() {
    if (text_.empty() && !written_.empty()) return ok();
    return flush();
  }

  [[nodiscard]] const std::vector<ShardEntry>& written() const { return written_; }

 private:
  Result<void> flush() {
    char number[16];
    std::snprintf(number, sizeof number, "-%05zu", written_.size());
    ShardEntry entry;
    entry.kind = to_string(kind_);
    entry.file = entry.kind + "s" + number + std::string(kSuffix);
    TRY(const std::string packed, zstd_pack(text_, options_.zstd_level));
    entry.records = records_;
    entry.bytes = static_cast<std::int64_t>(packed.size());
    entry.sha256 = sha256(packed);
    TRY_VOID(files_.write_atomically(folder_ / entry.file, packed));
    written_.push_back(std::move(entry));
    text_.clear();
    records_ = 0;
    return ok();
  }

  RecordKind kind_;
  fs::path folder_;
  Files& files_;
  const ShardOptions& options_;
  std::string text_;
  std::int64_t records_ = 0;
  std::vector<ShardEntry> written_;
};

std::string manifest_of(const std::vector<ShardEntry>& shards) {
  Json list = Json::array();
  for (const ShardEntry& shard : shards) {
    list.push_back({{"kind", shard.kind},
                    {"file", shard.file},
                    {"records", shard.records},
                    {"bytes", shard.bytes},
                    {"sha256", shard.sha256}});
  }
  const Json manifest = {{"manifest", 1}, {"record_schema", kRecordSchema}, {"shards", list}};
  return manifest.dump(1) + "\n";
}

// Parts of an earlier, longer writing, and files left aside by a process that was killed.
Result<void> remove_others(const fs::path& folder, const std::vector<ShardEntry>& shards,
                           Files& files) {
  TRY(const std::vector<std::string> names, files.list(folder));
  for (const std::string& name : names) {
    const bool ours = name.find(kSuffix) != std::string::npos || name.starts_with("manifest.json.");
    const bool kept = std::any_of(shards.begin(), shards.end(),
                                  [&](const ShardEntry& shard) { return shard.file == name; });
    if (ours && !kept) TRY_VOID(files.remove(folder / name));
  }
  return ok();
}

}  // namespace

Result<std::vector<ShardEntry>> write_shards(RunJournal& journal, Files& files,
                                             const ShardOptions& options) {
  const fs::path folder = journal.folder() / "shards";
  TRY_VOID(files.make_folder(folder));
  std::map<RecordKind, ShardStream> streams;
  for (const RecordKind kind : kRecordKinds) {
    streams.emplace(kind, ShardStream(kind, folder, files, options));
  }
  RecordWriter writer(
      [&](RecordKind kind, const Json& record) { return streams.at(kind).add(record); },
      options.extension_of);
  TRY(const std::vector<std::string> hashes, journal.task_hashes());
  for (const std::string& hash : hashes) {
    TRY(const Task task, journal.task(hash));
    TRY(const std::vector<Attempt> attempts, journal.finished_attempts(hash));
    TRY_VOID(writer.write(task, attempts));
    TRY(const auto mark, journal.refused(hash));
    if (mark) TRY_VOID(writer.write_refused(hash, *mark));
  }
  TRY(const std::vector<RejectedSource> rejected, journal.rejected_sources());
  for (const RejectedSource& one : rejected) {
    TRY_VOID(writer.write_rejected(one.source, one.reason));
  }
  std::vector<ShardEntry> written;
  for (auto& [kind, stream] : streams) {
    TRY_VOID(stream.finish());
    written.insert(written.end(), stream.written().begin(), stream.written().end());
  }
  TRY_VOID(files.write_atomically(folder / "manifest.json", manifest_of(written)));
  TRY_VOID(remove_others(folder, written, files));
  TRY_VOID(journal.register_shards(written));
  return written;
}

Result<std::vector<Json>> read_shard(Files& files, const fs::path& path,
                                     const ShardLimits& limits) {
  const auto bad = [&](const std::string& what) {
    return Error(Code::kInvalid, path.string() + " " + what);
  };
  TRY(const std::string bytes, files.read(path, limits.file_bytes));
  auto unpacked = zstd_unpack(bytes, limits.text_bytes);
  if (!unpacked.ok()) return bad(unpacked.error().message());
  std::string_view text = *unpacked;
  if (!text.empty() && text.back() != '\n') return bad("ends inside a record: it is torn");
  std::vector<Json> records;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string line = "line " + std::to_string(records.size() + 1);
    auto record = parse_json(text.substr(0, end), {.bytes = limits.record_bytes});
    if (!record.ok()) return bad(line + ": " + record.error().message());
    records.push_back(std::move(record).value());
    text.remove_prefix(end + 1);
  }
  return records;
}

}  // namespace kvgen
