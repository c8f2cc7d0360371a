#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generate/http/http.h"
#include "generate/llm/completion.h"
#include "generate/llm/patience.h"
#include "generate/llm/ruling.h"
#include "generate/llm/wire.h"
#include "kvgen/base/clock.h"
#include "kvgen/generate/openai.h"
#include "kvgen/stage/generator.h"
#include "kvgen/stage/pause.h"
#include "kvgen/stage/semaphore.h"

namespace kvgen::generate {

// A completion and how it was got.
struct Answer {
  Completion completion;
  Json fields;                        // of the request, but for its messages
  std::string request_id;             // the provider's name for the exchange
  double seconds = 0;                 // of the exchange that brought it
  std::vector<std::string> troubles;  // of earlier exchanges, in words
};

// What a provider needs of the world.
struct ProviderWorld {
  Http& http;
  Pause& pause;
  const Clock& clock;
  std::function<double()> chance;  // in [0, 1)
};

// One model behind one endpoint. At most `requests` exchanges at once, waiting for a
// provider that is down included, so that it is not met by a crowd when it is back.
class Provider {
 public:
  Provider(const OpenAiOptions& options, ProviderWorld world);

  Awaitable<Result<Answer>> ask(const Json& messages, Asking& asking);

 private:
  struct Exchange;
  Awaitable<Result<Exchange>> send(const Json& fields, const Json& messages);
  Awaitable<Result<void>> wait(const Ruling& ruling, Backoff& backoff, Clock::Instant since,
                               Asking& asking);
  Error refusal(const Ruling& ruling) const;
  std::string hidden(std::string text) const;  // the key struck out
  std::string who() const;

  const OpenAiOptions& options_;
  ProviderWorld world_;
  Dialect dialect_;
  std::unique_ptr<Semaphore> requests_;  // made on the loop that asks first
  Clock::Instant not_before_{};          // what the provider asked all of us to wait for
  bool answered_ = false;                // it did so once
};

}  // namespace kvgen::generate
