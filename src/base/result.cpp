#include "kvgen/base/result.h"

namespace kvgen {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::kUsage:
      return "usage";
    case Code::kInvalid:
      return "invalid";
    case Code::kMissing:
      return "missing";
    case Code::kNotFound:
      return "not_found";
    case Code::kConflict:
      return "conflict";
    case Code::kIo:
      return "io";
    case Code::kFull:
      return "full";
    case Code::kTimeout:
      return "timeout";
    case Code::kWorker:
      return "worker";
    case Code::kDenied:
      return "denied";
    case Code::kCancelled:
      return "cancelled";
    case Code::kInternal:
      return "internal";
  }
  return "internal";
}

Error& Error::prepend(std::string_view context) {
  message_ = std::string(context) + ": " + message_;
  return *this;
}

}  // namespace kvgen
