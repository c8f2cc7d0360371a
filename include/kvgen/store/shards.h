#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/files.h"
#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/store/run_journal.h"

namespace kvgen {

struct ShardOptions {
  std::uint64_t split_bytes = 16UL << 20;  // of JSON text; a longer record stands alone
  int zstd_level = 10;
  // The text of a verified attempt as an extension, or none; from the attempt alone.
  std::function<std::optional<std::string>(const Task&, const Attempt&)> extension_of;
};

// Writes RUN/shards/{tasks,attempts,builds,verdicts,profiles,samples,refusals}-NNNNN.jsonl.zst
// and manifest.json from the journal, registers them there, and removes parts that
// are no longer written. The same journal gives the same bytes; times stand in
// profile records only, so two runs with equal results differ in nothing else.
// Only finished attempts are written. A kind without records has one empty shard.
Result<std::vector<ShardEntry>> write_shards(RunJournal& journal, Files& files,
                                             const ShardOptions& options = {});

struct ShardLimits {
  std::uint64_t file_bytes = 1UL << 30;
  std::uint64_t text_bytes = 1UL << 30;  // decompressed
  std::uint64_t record_bytes = 256UL << 20;
};

// The records of one shard, in order. kInvalid names the line, or says that the
// file is torn or unpacks to more than the limit.
Result<std::vector<Json>> read_shard(Files& files, const fs::path& path,
                                     const ShardLimits& limits = {});

}  // namespace kvgen
