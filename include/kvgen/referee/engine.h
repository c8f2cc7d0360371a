#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/worker/frame.h"

namespace kvgen {

struct RefereeLimits {
  std::int64_t tensor_bytes = 8LL << 30;  // what libtorch may hold at once
  std::int64_t arena_bytes = 4LL << 30;   // of one inputs or outputs arena
  std::int64_t cases_bytes = 2LL << 30;   // of opened cases kept; the least used goes first
};

// The referee's side of worker/protocol.h: open_case, new_outputs, judge,
// time_reference, admit. Computes the reference, never runs a candidate.
//
// A case that was dropped to make room is kNotFound, retryable: open it anew from
// the same seed. A bundle that cannot be run is kInvalid and named by place.
// One request at a time.
class RefereeEngine {
 public:
  explicit RefereeEngine(const RefereeLimits& limits = {});
  ~RefereeEngine();
  RefereeEngine(const RefereeEngine&) = delete;
  RefereeEngine& operator=(const RefereeEngine&) = delete;

  Result<Message> handle(const std::string& op, Message body);

  // {"torch": "2.13.0", "policy": 1}
  static Json hello();

 private:
  class Cases;
  RefereeLimits limits_;
  std::unique_ptr<Cases> cases_;
  // Held until the next request, so that its pages are freed here and not by the
  // process that closes it last: kvgen, which attends to all candidates.
  SharedFd last_judged_;
};

}  // namespace kvgen
