#pragma once

#include <string>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/ingest/source.h"
#include "kvgen/model/task.h"

namespace kvgen {

// The body of the capture worker's op "capture": the text, what messages call it, and options.
Json capture_request(const Source& source, const std::string& text);

// The worker's answer as a sealed task with its structural hash. The answer may
// have been forged by the module, so all of it is checked; kInvalid says where.
Result<Task> task_from_capture(const Json& reply, const Source& source, const std::string& text);

}  // namespace kvgen
