#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "kvgen/base/result.h"
#include "kvgen/generate/openai.h"
#include "world.h"

namespace kvgen::tools {

// How a language model is asked, as people say it.
struct LlmOptions {
  std::string base_url;
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<int> max_tokens;
  int requests = 8;
  bool stream = true;
  std::string extra_body;   // a JSON file
  int give_up_after = 720;  // minutes
  double request_minutes = 60;
  double idle_seconds = 300;
  double input_price = 0;
  double output_price = 0;
};

// --base-url, --temperature, ... in a group of their own.
void add_llm(CLI::App& command, LlmOptions& options);

// With the key and what else is not said from the environment. Without a base URL it is
// OpenAI's own, for which a key must be there.
Result<OpenAiOptions> openai_options(const LlmOptions& options, const std::string& generator,
                                     const std::vector<std::string>& archs, const World& world);

}  // namespace kvgen::tools
