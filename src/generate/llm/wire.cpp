#include "generate/llm/wire.h"

#include <utility>

namespace kvgen::generate {
namespace {

constexpr std::string_view kOpenAi = "https://api.openai.com";

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

Dialect first_dialect(const OpenAiOptions& options) {
  Dialect dialect;
  dialect.max_completion_tokens = options.base_url.starts_with(kOpenAi);
  dialect.stream = options.stream;
  return dialect;
}

Json request_fields(const OpenAiOptions& options, const Dialect& dialect) {
  Json body = {{"model", options.model}};
  if (options.temperature) body["temperature"] = *options.temperature;
  if (options.top_p) body["top_p"] = *options.top_p;
  if (options.max_tokens) {
    body[dialect.max_completion_tokens ? "max_completion_tokens" : "max_tokens"] =
        *options.max_tokens;
  }
  if (dialect.stream) {
    body["stream"] = true;
    if (dialect.stream_options) body["stream_options"] = {{"include_usage", true}};
  }
  for (const auto& [key, value] : options.extra_body.items()) {
    if (key == "max_tokens" || key == "max_completion_tokens") {
      body.erase("max_tokens");
      body.erase("max_completion_tokens");
    }
    body[key] = value;
  }
  return body;
}

bool learn(Dialect& dialect, const std::string& said) {
  if (!dialect.max_completion_tokens && holds(said, "max_completion_tokens")) {
    return !std::exchange(dialect.max_completion_tokens, true);
  }
  if (dialect.max_completion_tokens && holds(said, "max_completion_tokens")) {
    return std::exchange(dialect.max_completion_tokens, false);
  }
  if (dialect.stream && dialect.stream_options && holds(said, "stream_options")) {
    return std::exchange(dialect.stream_options, false);
  }
  if (dialect.stream && holds(said, "stream")) return std::exchange(dialect.stream, false);
  return false;
}

}  // namespace kvgen::generate
