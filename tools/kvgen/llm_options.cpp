#include "llm_options.h"

#include <algorithm>

namespace kvgen::tools {
namespace {

constexpr const char* kGroup = "Language models (--generator openai:MODEL)";
constexpr const char* kOpenAiUrl = "https://api.openai.com/v1";
constexpr std::uint64_t kBodyLimit = 1 << 20;

// What kvgen sets or depends on itself.
constexpr std::string_view kOurFields[] = {"messages", "model", "n", "stream", "stream_options"};

std::string first_of(const World& world, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto value = world.environment(name);
    if (value && !value->empty()) return *value;
  }
  return "";
}

Result<Json> extra_body(const std::string& path, const World& world) {
  if (path.empty()) return Json::object();
  TRY(const std::string text, world.files->read(path, kBodyLimit));
  auto json = parse_json(text);
  if (!json.ok() || !json->is_object()) {
    return Error(Code::kUsage, "--extra-body " + path + ": not a JSON object");
  }
  for (const std::string_view field : kOurFields) {
    if (!json->contains(field)) continue;
    return Error(Code::kUsage, "--extra-body " + path + ": \"" + std::string(field) +
                                   "\" is kvgen's own; other fields may be set");
  }
  return json;
}

Result<void> check_url(const std::string& url) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return Error(Code::kUsage, "--base-url " + url + ": begins with http:// or https://");
  }
  const std::string host = url.substr(url.find("://") + 3);
  if (host.substr(0, host.find('/')).find('@') != std::string::npos) {
    return Error(Code::kUsage,
                 "--base-url holds a user or password, which would be recorded; put the key "
                 "into KVGEN_API_KEY");
  }
  if (url.find_first_of("?#") != std::string::npos) {
    return Error(Code::kUsage, "--base-url " + url + ": ends with the path, such as /v1");
  }
  return ok();
}

bool printable(const std::string& key) {
  return std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

void add_llm(CLI::App& command, LlmOptions& options) {
  const auto add = [&](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, help)->group(kGroup);
  };
  add("--base-url", options.base_url,
      "An OpenAI-compatible server, up to /v1 (or OPENAI_BASE_URL; the key is taken from "
      "KVGEN_API_KEY or OPENAI_API_KEY)");
  add("--temperature", options.temperature, "Sampling")->check(CLI::Range(0.0, 5.0));
  add("--top-p", options.top_p, "Sampling")->check(CLI::Range(0.0, 1.0));
  add("--max-tokens", options.max_tokens, "Of an answer, thoughts included")
      ->check(CLI::Range(1, 10'000'000));
  add("--requests", options.requests, "In flight at once")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_flag("!--no-stream", options.stream, "Wait for whole answers")->group(kGroup);
  add("--extra-body", options.extra_body, "A JSON file of further fields for every request");
  add("--give-up-after", options.give_up_after,
      "Minutes of waiting for a server that is down or a disk that is full")
      ->check(CLI::Range(0, 100'000))
      ->capture_default_str();
  add("--request-minutes", options.request_minutes, "The longest that one answer may take")
      ->check(CLI::Range(0.01, 10'000.0))
      ->capture_default_str();
  add("--idle-seconds", options.idle_seconds, "The longest silence inside a stream")
      ->check(CLI::Range(1.0, 100'000.0))
      ->capture_default_str();
  add("--input-price", options.input_price, "US dollars per million tokens, for the records")
      ->check(CLI::Range(0.0, 1e6));
  add("--output-price", options.output_price, "US dollars per million tokens, for the records")
      ->check(CLI::Range(0.0, 1e6));
}

Result<OpenAiOptions> openai_options(const LlmOptions& options, const std::string& generator,
                                     const std::vector<std::string>& archs, const World& world) {
  OpenAiOptions asked;
  if (!generator.starts_with("openai:")) return asked;
  asked.base_url = options.base_url;
  if (asked.base_url.empty()) {
    asked.base_url = first_of(world, {"KVGEN_BASE_URL", "OPENAI_BASE_URL"});
  }
  asked.key = first_of(world, {"KVGEN_API_KEY", "OPENAI_API_KEY"});
  if (asked.base_url.empty()) {
    if (asked.key.empty()) {
      return Error(Code::kMissing,
                   "--generator " + generator +
                       ": say where the model is with --base-url, or put a key for OpenAI into "
                       "KVGEN_API_KEY or OPENAI_API_KEY");
    }
    asked.base_url = kOpenAiUrl;
  }
  TRY_VOID(check_url(asked.base_url));
  if (!printable(asked.key)) {
    return Error(Code::kUsage, "the key in the environment holds a blank or a control character");
  }
  TRY(asked.extra_body, extra_body(options.extra_body, world));
  asked.temperature = options.temperature;
  asked.top_p = options.top_p;
  asked.max_tokens = options.max_tokens;
  asked.stream = options.stream;
  asked.requests = options.requests;
  asked.give_up_after = std::chrono::minutes(options.give_up_after);
  asked.request_limit =
      std::chrono::seconds(std::max(1L, static_cast<long>(options.request_minutes * 60)));
  asked.idle_limit = std::chrono::seconds(static_cast<long>(options.idle_seconds));
  asked.input_price = options.input_price;
  asked.output_price = options.output_price;
  asked.prompts = world.share / "configs" / "prompts" / "hip";
  asked.archs = archs;
  return asked;
}

}  // namespace kvgen::tools
