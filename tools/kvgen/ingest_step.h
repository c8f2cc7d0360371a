#pragma once

#include <vector>

#include "kvgen/ingest/ingester.h"
#include "workshop.h"
#include "world.h"

namespace kvgen::tools {

// Finds and ingests sources with progress on the terminal.
Awaitable<Result<std::vector<IngestedSource>>> ingest_step(const World& world, Workshop& shop,
                                                           const std::vector<std::string>& paths,
                                                           const fs::path& bundles,
                                                           SourceOptions options = {});

// The bad ones, a line each: "cannot use X: reason".
void tell_rejected(const World& world, const std::vector<IngestedSource>& sources);

}  // namespace kvgen::tools
