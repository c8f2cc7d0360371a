#pragma once

#include "kvgen/base/result.h"

namespace kvgen::tools {

enum ExitCode {
  kDone = 0,
  kFailed = 1,  // our error
  kUsageError = 2,
  kLacking = 3,       // the environment lacks something
  kNotAllJudged = 4,  // finished, but something could not be judged
  kRejected = 10,     // verify: the candidate was rejected
  kInterrupted = 130,
};

inline ExitCode exit_code_for(const Error& error) {
  switch (error.code()) {
    case Code::kUsage:
      return kUsageError;
    case Code::kMissing:
      return kLacking;
    case Code::kCancelled:
      return kInterrupted;
    default:
      return kFailed;
  }
}

}  // namespace kvgen::tools
