#pragma once

#include <memory>

#include "kvgen/device/engine.h"
#include "kvgen/worker/serve.h"

namespace kvgen {

// Answers the runner's operations (worker/protocol.h) with an engine: "run",
// "time_open", "time_sample", "time_close".
Handler runner_handler(std::unique_ptr<Engine> engine);

}  // namespace kvgen
