#include "generate/llm/provider.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>

namespace kvgen::generate {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kMostLost = 4;  // completions that broke off and may have been paid
constexpr std::size_t kMostTroubles = 20;

std::string time_text(Clock::Instant::duration time) {
  const auto whole = std::chrono::duration_cast<seconds>(time).count();
  if (whole < 120) return std::to_string(whole) + " s";
  if (whole < 7200) return std::to_string(whole / 60) + " min";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

}  // namespace

struct Provider::Exchange {
  HttpReply reply;
  CompletionReader reader;
  double seconds = 0;
};

Provider::Provider(const OpenAiOptions& options, ProviderWorld world)
    : options_(options), world_(std::move(world)), dialect_(first_dialect(options)) {}

std::string Provider::who() const { return options_.model + " at " + options_.base_url; }

std::string Provider::hidden(std::string text) const {
  constexpr std::string_view kStruckOut = "[key]";
  if (options_.key.empty()) return text;
  for (std::size_t at = 0; (at = text.find(options_.key, at)) != std::string::npos;) {
    text.replace(at, options_.key.size(), kStruckOut);
    at += kStruckOut.size();
  }
  return text;
}

Awaitable<Result<Answer>> Provider::ask(const Json& messages, Asking& asking) {
  if (!requests_) {
    requests_ =
        std::make_unique<Semaphore>(co_await boost::asio::this_coro::executor, options_.requests);
  }
  const Semaphore::Permit permit = co_await requests_->acquire();
  Answer answer;
  Backoff backoff(world_.chance);
  const auto begun = world_.clock.now();
  for (int lost = 0;;) {
    if (const auto now = world_.clock.now(); now < not_before_) {
      co_await world_.pause.sleep(std::chrono::duration_cast<milliseconds>(not_before_ - now));
    }
    answer.fields = request_fields(options_, dialect_);
    CO_TRY_VOID(asking.about_to_ask());
    CO_TRY(Exchange exchange, co_await send(answer.fields, messages));
    if (exchange.reply.status == 200 && exchange.reader.completion()) {
      answered_ = true;
      answer.completion = *exchange.reader.completion();
      for (std::string* text :
           {&answer.completion.text, &answer.completion.reasoning, &answer.completion.refusal}) {
        *text = hidden(std::move(*text));
      }
      answer.seconds = exchange.seconds;
      for (const char* name : {"x-request-id", "request-id"}) {
        if (const auto* id = exchange.reply.header(name)) answer.request_id = id->substr(0, 200);
      }
      co_return answer;
    }
    Ruling ruling =
        rule(exchange.reply, exchange.reader.error(), exchange.reader.fault(), world_.clock);
    ruling.why = hidden(std::move(ruling.why));
    if (!ruling.perhaps_bought) CO_TRY_VOID(asking.nothing_bought());
    if (ruling.next == Next::kRefused && exchange.reader.error()) {
      const ToldError& told = *exchange.reader.error();
      if (learn(dialect_, told.message + " " + told.param)) continue;
    }
    if (ruling.next == Next::kRefused || ruling.next == Next::kNobody) co_return refusal(ruling);
    if (answer.troubles.size() < kMostTroubles) answer.troubles.push_back(ruling.why);
    if (ruling.next == Next::kAskAgain && ++lost >= kMostLost) {
      co_return Error(Code::kWorker, who() + " gave no usable answer " + std::to_string(lost) +
                                         " times, the last: " + ruling.why);
    }
    CO_TRY_VOID(co_await wait(ruling, backoff, begun, asking));
  }
}

Awaitable<Result<Provider::Exchange>> Provider::send(const Json& fields, const Json& messages) {
  HttpRequest request;
  request.url = options_.base_url + "/chat/completions";
  request.headers = {
      {"Content-Type", "application/json"},
      {"Accept", dialect_.stream ? "text/event-stream, application/json" : "application/json"}};
  request.bearer = options_.key;
  Json body = fields;
  body["messages"] = messages;
  request.body = to_line(body);
  request.limits.total = options_.request_limit;
  // Without a stream a model that thinks is silent until it has finished.
  request.limits.idle = dialect_.stream ? options_.idle_limit : options_.request_limit;

  Exchange exchange;
  const auto start = world_.clock.now();
  const auto reader = [&](const HttpReply&, std::string_view piece) {
    return exchange.reader.feed(piece);
  };
  CO_TRY(exchange.reply, co_await world_.http.post(std::move(request), reader));
  exchange.reader.end();
  exchange.seconds = std::chrono::duration<double>(world_.clock.now() - start).count();
  // A body that broke off is whole only where the completion says so itself.
  co_return exchange;
}

Awaitable<Result<void>> Provider::wait(const Ruling& ruling, Backoff& backoff, Clock::Instant since,
                                       Asking& asking) {
  const auto now = world_.clock.now();
  milliseconds pause = backoff.next();
  if (ruling.after) {
    pause = std::max(pause, *ruling.after);
    not_before_ = std::max(not_before_, now + *ruling.after);
  }
  const auto waited = now - since;
  if (waited + pause > options_.give_up_after) {
    co_return Error(Code::kMissing, who() + " has not answered for " + time_text(waited) + " (" +
                                        ruling.why + "), so kvgen gave up waiting; run " +
                                        "the same command again when it is back");
  }
  asking.waiting(who() + " does not answer (" + ruling.why + ") for " + time_text(waited) +
                 "; asked again in " + time_text(pause));
  co_await world_.pause.sleep(pause);
  co_return ok();
}

Error Provider::refusal(const Ruling& ruling) const {
  const std::string why = who() + " refuses: " + ruling.why;
  if (ruling.next == Next::kNobody) {
    return {Code::kMissing, why + "; look at KVGEN_API_KEY, the account and the base URL"};
  }
  // A request that nobody accepted yet is most likely wrong in every task.
  if (ruling.concerns_prompt || answered_) return {Code::kInvalid, why};
  return {Code::kUsage, why + "; look at --base-url, the model's name and the sampling options"};
}

}  // namespace kvgen::generate
