#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/files.h"
#include "kvgen/base/result.h"
#include "kvgen/ingest/source.h"
#include "kvgen/model/task.h"
#include "kvgen/pool/clients.h"
#include "kvgen/stage/referee.h"

namespace kvgen {

struct IngestedSource {
  Source source;
  std::optional<Task> task;  // or
  std::string reason;        // why it did not become one: file, line, cause
  bool reused = false;       // the bundle was there already
};

// Turns sources into tasks with bundles in one folder: captures modules, checks
// bundles, and marks what a cheap answer would pass. A module whose text stands
// in a bundle of the folder is not captured again.
class Ingester {
 public:
  Ingester(Files& files, CaptureClient& capture, Referee& referee, fs::path bundles);

  // Told of each source as it ends.
  using Told = std::function<void(const IngestedSource&)>;

  // In the order of the sources. An Error is ours (a full disk); a bad source is not.
  Awaitable<Result<std::vector<IngestedSource>>> ingest(const std::vector<Source>& sources,
                                                        int jobs, Told told);

  // One source; the folder is made when it is needed.
  Awaitable<Result<IngestedSource>> take(const Source& source);

 private:
  Awaitable<Result<Task>> captured(const Source& source, const std::string& text);

  Files& files_;
  CaptureClient& capture_;
  Referee& referee_;
  fs::path bundles_;
};

}  // namespace kvgen
