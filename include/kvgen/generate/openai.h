#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "kvgen/base/clock.h"
#include "kvgen/base/files.h"
#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/stage/generator.h"

namespace kvgen {

struct OpenAiOptions {
  std::string base_url;  // ".../v1", without the key or any other secret
  std::string key;       // sent as a bearer token; never told, logged or recorded
  std::string model;
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<int> max_tokens;     // of an answer, thoughts included
  Json extra_body = Json::object();  // further fields of every request
  bool stream = true;
  int requests = 8;                               // in flight at once
  std::chrono::seconds give_up_after{12 * 3600};  // of waiting for a provider that is down
  std::chrono::seconds request_limit{3600};       // for one answer
  std::chrono::seconds idle_limit{300};           // of silence inside a stream
  double input_price = 0;                         // US dollars per million tokens; 0: not known
  double output_price = 0;
  fs::path prompts;                // the folder of templates, see generate/prompt.h
  std::vector<std::string> archs;  // that the kernels are for
};

// Asks a language model through any OpenAI-compatible chat completions endpoint.
//
// Every reply's origin records what was sent (messages, fields, the templates' hash) and
// what was told (reasoning, tokens, model, finish reason, request id, duration). A provider
// that is down or busy is waited for; a completion that broke off is asked for again a few
// times. An Error that ends the run (kMissing, kUsage) says that no request will be answered.
Result<std::unique_ptr<Generator>> make_openai(OpenAiOptions options, Files& files,
                                               const Clock& clock);

}  // namespace kvgen
