#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "generate/http/http.h"
#include "generate/llm/completion.h"
#include "kvgen/base/clock.h"

namespace kvgen::generate {

// What to do after an exchange that brought no completion.
enum class Next {
  kWait,      // the provider is down or busy: ask again later, for as long as it takes
  kAskAgain,  // a completion may have been bought and was lost: ask again, a few times
  kRefused,   // this request will not be answered, whenever it is asked
  kNobody,    // no request will be: the key, the money or the certificate is missing
};

struct Ruling {
  Next next = Next::kWait;
  std::string why;                                 // "429: rate limit reached"
  std::optional<std::chrono::milliseconds> after;  // what the provider asked for
  bool perhaps_bought = false;
  bool concerns_prompt = false;  // refused for its length or content
};

// `told` is the error of the body, if it held one; `fault` why the body is no completion.
Ruling rule(const HttpReply& reply, const std::optional<ToldError>& told, const std::string& fault,
            const Clock& clock);

}  // namespace kvgen::generate
