#pragma once

#include <string>

#include "kvgen/base/json.h"
#include "kvgen/generate/openai.h"

namespace kvgen::generate {

// How a server wants things said; learnt from its refusals.
struct Dialect {
  bool max_completion_tokens = false;  // else max_tokens
  bool stream = true;
  bool stream_options = true;  // ask for the usage of a stream
};

// The dialect to begin with.
Dialect first_dialect(const OpenAiOptions& options);

// A request's fields but for its messages; `extra_body` wins over what is ours.
Json request_fields(const OpenAiOptions& options, const Dialect& dialect);

// Whether a refusal asks for another dialect: changes it, and the same request is worth
// sending again. `said` is the refusal's message and parameter.
bool learn(Dialect& dialect, const std::string& said);

}  // namespace kvgen::generate
