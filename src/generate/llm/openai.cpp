#include "generate/llm/openai.h"

#include <random>

#include "generate/http/curl_http.h"
#include "generate/llm/provider.h"
#include "kvgen/generate/extract.h"
#include "kvgen/generate/feedback.h"
#include "kvgen/generate/openai.h"

namespace kvgen {
namespace generate {
namespace {

constexpr std::size_t kShownRefusal = 300;

Outcome no_candidate(std::string reason) {
  return {OutcomeKind::kNoCandidate, Stage::kExtract, std::move(reason), Json::object()};
}

std::string text_of(const Json& origin, const char* key) {
  const auto found = origin.find(key);
  return found != origin.end() && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t tokens_of(const Json& usage, const char* key) {
  if (!usage.is_object()) return 0;
  const auto found = usage.find(key);
  return found != usage.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

}  // namespace

OpenAi::OpenAi(OpenAiOptions options, std::unique_ptr<PromptBook> book, ProviderWorld world)
    : options_(std::move(options)), book_(std::move(book)), provider_(options_, std::move(world)) {}

Json OpenAi::describe() const {
  Json sampling = Json::object();
  if (options_.temperature) sampling["temperature"] = *options_.temperature;
  if (options_.top_p) sampling["top_p"] = *options_.top_p;
  if (options_.max_tokens) sampling["max_tokens"] = *options_.max_tokens;
  return {{"kind", "openai"},
          {"model", options_.model},
          {"sampling", sampling},
          {"extra_body", options_.extra_body},
          {"prompt", book_->describe()},
          {"card", kCardVersion}};
}

Awaitable<Result<Proposal>> OpenAi::propose(const Task& task, const History& history,
                                            Asking& asking) {
  CO_TRY(const Json messages, book_->messages(task, options_.archs, history));
  CO_TRY(Answer answer, co_await provider_.ask(messages, asking));
  Proposal proposal;
  Reply reply;
  reply.origin = origin_of(messages, answer);
  reply.text = std::move(answer.completion.text);
  proposal.reply = std::move(reply);
  co_return proposal;
}

Json OpenAi::origin_of(const Json& messages, const Answer& answer) const {
  const Completion& completion = answer.completion;
  Json origin = {{"kind", "openai"},
                 {"base_url", options_.base_url},
                 {"messages", messages},
                 {"request", answer.fields},
                 {"prompt", book_->describe()},
                 {"model", completion.model},
                 {"reasoning", completion.reasoning},
                 {"refusal", completion.refusal},
                 {"finish_reason", completion.finish_reason},
                 {"id", completion.id},
                 {"request_id", answer.request_id},
                 {"usage", completion.usage},
                 {"seconds", answer.seconds},
                 {"troubles", answer.troubles},
                 {"cost_usd", nullptr}};
  if (options_.input_price > 0 || options_.output_price > 0) {
    const auto in = static_cast<double>(tokens_of(completion.usage, "prompt_tokens"));
    const auto out = static_cast<double>(tokens_of(completion.usage, "completion_tokens"));
    if (completion.usage.is_object()) {
      origin["cost_usd"] = (in * options_.input_price + out * options_.output_price) / 1e6;
    }
  }
  return origin;
}

Extracted OpenAi::extract(const Reply& reply) const {
  Extracted extracted = kvgen::extract(reply);
  if (extracted.candidate) return extracted;
  const std::string refusal = text_of(reply.origin, "refusal");
  const std::string finish = text_of(reply.origin, "finish_reason");
  if (!refusal.empty()) {
    extracted.outcome = no_candidate("the model declines: " + refusal.substr(0, kShownRefusal));
  } else if (finish == "length") {
    extracted.outcome = no_candidate(
        "truncated: the answer reached the limit of tokens before both blocks were complete");
  } else if (finish == "content_filter") {
    extracted.outcome = no_candidate("the provider's content filter ended the answer");
  }
  return extracted;
}

const Attempt* OpenAi::parent(const History& history) const { return best_so_far(history); }

Json OpenAi::feedback(const Task& task, const Attempt& attempt) const {
  return feedback_card(task, attempt);
}

namespace {

struct Network {
  std::unique_ptr<Http> http = make_curl_http();
  std::unique_ptr<Pause> pause = make_pause();
  std::minstd_rand random{std::random_device{}()};
};

}  // namespace
}  // namespace generate

Result<std::unique_ptr<Generator>> make_openai(OpenAiOptions options, Files& files,
                                               const Clock& clock) {
  while (options.base_url.ends_with('/')) options.base_url.pop_back();
  TRY(auto book, PromptBook::load(files, options.prompts));
  // Whoever has the chance has the network.
  const auto network = std::make_shared<generate::Network>();
  const auto chance = [network] { return std::uniform_real_distribution<>(0, 1)(network->random); };
  return std::unique_ptr<Generator>(std::make_unique<generate::OpenAi>(
      std::move(options), std::move(book),
      generate::ProviderWorld{*network->http, *network->pause, clock, chance}));
}

}  // namespace kvgen
