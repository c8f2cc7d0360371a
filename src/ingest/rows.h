#pragma once

#include <vector>

#include "kvgen/base/files.h"
#include "kvgen/base/result.h"
#include "kvgen/ingest/source.h"

namespace kvgen {

// The rows of a JSONL file as sources, in order; empty lines are passed over.
//
// The licence is taken from the column "license" or "licence", the origin from
// "origin", "source" or "url", the first that holds text. A row that is no JSON
// object, is larger than 8 MB, or has no text of at most kModuleBytesLimit in the
// column becomes a source with a fault. An Error is the file's: it cannot be read,
// or is larger than 256 MB.
Result<std::vector<Source>> read_rows(Files& files, const fs::path& path,
                                      const SourceOptions& options);

}  // namespace kvgen
