#include "generate/llm/ruling.h"

#include <curl/curl.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kvgen::generate {
namespace {

using std::chrono::milliseconds;
constexpr double kLongestWait = 3'600'000;  // milliseconds; a provider may ask for no more
constexpr std::size_t kShown = 300;

std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(value) || value < 0) {
    return std::nullopt;
  }
  return value;
}

std::optional<milliseconds> asked_to_wait(const HttpReply& reply, const Clock& clock) {
  std::optional<double> wait;
  if (const auto* text = reply.header("retry-after-ms")) wait = number_of(*text);
  if (const auto* text = reply.header("retry-after"); text != nullptr && !wait) {
    if (const auto seconds = number_of(*text)) {
      wait = *seconds * 1000;
    } else if (const auto date = http_date(*text)) {
      const auto until = *date - clock.wall();
      wait = std::max(0.0, std::chrono::duration<double, std::milli>(until).count());
    }
  }
  if (!wait) return std::nullopt;
  return milliseconds(static_cast<std::int64_t>(std::min(*wait, kLongestWait)));
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool names_quota(const ToldError& told) {
  for (const std::string* text : {&told.code, &told.type}) {
    if (holds(*text, "insufficient_quota") || holds(*text, "billing")) return true;
  }
  return false;
}

bool names_prompt(const ToldError& told) {
  const std::string all = told.code + " " + told.type + " " + told.message;
  for (const char* word : {"context_length", "context_size", "context length", "context size",
                           "maximum context", "content_filter", "content_policy", "too long"}) {
    if (holds(all, word)) return true;
  }
  return false;
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  if (text.size() <= kShown) return text;
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string why_of(const HttpReply& reply, int status, const std::optional<ToldError>& told,
                   const std::string& fault) {
  if (reply.end != HttpEnd::kWhole && !told) return one_line(reply.trouble);
  std::string why = told ? told->message : fault;
  if (why.empty() && told) why = told->code.empty() ? told->type : told->code;
  if (status != 200 && status != 0) {
    return one_line(std::to_string(status) + (told && !why.empty() ? ": " + why : ""));
  }
  if (!told) {
    const std::string* type = reply.header("content-type");
    if (type != nullptr) why += " (" + *type + ")";
  }
  return one_line(why);
}

}  // namespace

Ruling rule(const HttpReply& reply, const std::optional<ToldError>& told, const std::string& fault,
            const Clock& clock) {
  const bool answered = reply.status == 200;
  const int status = told && told->status != 0 && answered ? told->status : reply.status;
  Ruling ruling;
  ruling.why = why_of(reply, status, told, fault);
  ruling.after = asked_to_wait(reply, clock);

  if (reply.end == HttpEnd::kNotReached) return ruling;
  if (reply.end == HttpEnd::kUntrusted) {
    ruling.next = Next::kNobody;
    return ruling;
  }
  if (told && names_quota(*told)) {
    ruling.next = Next::kNobody;
    return ruling;
  }
  const std::string* should = reply.header("x-should-retry");
  if (status == 0 && reply.end == HttpEnd::kCut) {
    // A server that ends while it is asked, or is not quite up yet.
    ruling.perhaps_bought = true;
  } else if (answered || status == 0) {
    // The head or a part of the answer came, or may be on its way: it may have been bought.
    ruling.next = Next::kAskAgain;
    ruling.perhaps_bought = true;
    if (told && told->status >= 400 && told->status < 500 && told->status != 408 &&
        told->status != 409 && told->status != 429) {
      ruling.next = told->status == 401 || told->status == 402 || told->status == 403
                        ? Next::kNobody
                        : Next::kRefused;
    }
  } else if (status == 408 || status == 409 || status == 425 || status == 429 || status >= 500 ||
             status < 300 || (should != nullptr && *should == "true")) {
    ruling.next = Next::kWait;
    // A gateway's patience ended; what is behind it may have answered.
    ruling.perhaps_bought = status == 408 || status == 504 || status == 524 || status < 300;
  } else if (status == 401 || status == 402 || status == 403) {
    ruling.next = Next::kNobody;
  } else {
    ruling.next = Next::kRefused;
  }
  ruling.concerns_prompt = ruling.next == Next::kRefused && told && names_prompt(*told);
  return ruling;
}

}  // namespace kvgen::generate
