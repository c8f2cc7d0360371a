#include "generate/llm/completion.h"

#include <utility>

#include "generate/llm/lenient_json.h"

namespace kvgen::generate {
namespace {

std::string text_of(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string word_of(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : to_line(*found);
}

// Content is a text, or a list of parts of which some are text.
std::string content_of(const Json& message) {
  if (!message.is_object()) return "";
  const auto content = message.find("content");
  if (content == message.end() || !content->is_array()) return text_of(message, "content");
  std::string text;
  for (const Json& part : *content) text += text_of(part, "text");
  return text;
}

std::string reasoning_of(const Json& message) {
  const std::string text = text_of(message, "reasoning_content");
  return text.empty() ? text_of(message, "reasoning") : text;
}

const Json* first_choice(const Json& object) {
  const auto choices = object.find("choices");
  if (choices == object.end() || !choices->is_array() || choices->empty()) return nullptr;
  return choices->front().is_object() ? &choices->front() : nullptr;
}

const Json& member(const Json& object, const char* key) {
  static const Json nothing = Json::object();
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : nothing;
}

// Servers without a reasoning parser leave the thoughts in the text.
void split_thoughts(Completion& completion) {
  constexpr std::string_view kOpen = "<think>";
  constexpr std::string_view kClose = "</think>";
  std::string& text = completion.text;
  const auto close = text.find(kClose);
  if (close == std::string::npos) return;
  auto open = text.find_first_not_of(" \t\r\n");
  const bool opened = text.compare(open, kOpen.size(), kOpen) == 0;
  // Some chat templates put the opening mark into the prompt.
  if (!opened && text.find(kOpen) != std::string::npos) return;
  if (opened) open += kOpen.size();
  completion.reasoning += text.substr(open, close - open);
  text.erase(0, close + kClose.size());
}

}  // namespace

std::optional<ToldError> told_error(const Json& body) {
  if (!body.is_object()) return std::nullopt;
  const auto error = body.find("error");
  ToldError told;
  if (error != body.end() && error->is_string()) {
    told.message = error->get<std::string>();
    return told;
  }
  const bool bare = error == body.end() && body.contains("message") && !body.contains("choices");
  if (!bare && (error == body.end() || !error->is_object())) return std::nullopt;
  const Json& object = bare ? body : *error;
  told.message = text_of(object, "message");
  told.type = word_of(object, "type");
  told.code = word_of(object, "code");
  told.param = word_of(object, "param");
  const auto code = object.find("code");
  if (code != object.end() && code->is_number_integer()) {
    const auto number = code->get<std::int64_t>();
    if (number >= 400 && number <= 599) told.status = static_cast<int>(number);
  }
  return told;
}

bool CompletionReader::feed(std::string_view piece) {
  if (form_ == Form::kUnknown) {
    json_ += piece;
    const auto first = json_.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) return true;
    form_ = json_[first] == '{' || json_[first] == '[' ? Form::kJson : Form::kEvents;
    if (form_ == Form::kJson) return true;
    for (const SseEvent& event : events_.feed(std::exchange(json_, {}))) take(event);
  } else if (form_ == Form::kJson) {
    json_ += piece;
  } else {
    for (const SseEvent& event : events_.feed(piece)) take(event);
  }
  return !done_ && !error_;
}

void CompletionReader::end() {
  if (form_ == Form::kEvents) {
    for (const SseEvent& event : events_.finish()) take(event);
    conclude();
  } else {
    take_whole();
  }
}

void CompletionReader::take(const SseEvent& event) {
  if (done_ || error_) return;
  if (event.data == "[DONE]") {
    done_ = true;
    return;
  }
  const auto chunk = parse_leniently(event.data);
  if (!chunk.ok() || !chunk->is_object()) {
    if (event.name == "error") {
      error_ = ToldError{event.data.substr(0, 500), "", "", "", 0};
    } else if (fault_.empty()) {
      fault_ = "an event of the stream is not JSON";
    }
    return;
  }
  if (event.name == "error" || chunk->contains("error")) {
    if (auto told = told_error(*chunk)) {
      error_ = std::move(told);
      return;
    }
    if (event.name == "error") error_ = ToldError{event.data.substr(0, 500), "", "", "", 0};
    if (error_) return;
  }
  take_chunk(*chunk);
}

void CompletionReader::take_names(const Json& object) {
  if (partial_.model.empty()) partial_.model = text_of(object, "model");
  if (partial_.id.empty()) partial_.id = text_of(object, "id");
  if (const Json& usage = member(object, "usage"); !usage.empty()) partial_.usage = usage;
}

void CompletionReader::take_chunk(const Json& chunk) {
  take_names(chunk);
  const Json* choice = first_choice(chunk);
  if (choice == nullptr) return;
  any_ = true;
  const Json& delta = member(*choice, "delta");
  partial_.text += content_of(delta);
  partial_.reasoning += reasoning_of(delta);
  partial_.refusal += text_of(delta, "refusal");
  const std::string reason = text_of(*choice, "finish_reason");
  if (!reason.empty()) partial_.finish_reason = reason;
}

void CompletionReader::take_whole() {
  const auto body = parse_leniently(json_);
  if (!body.ok()) {
    fault_ = json_.empty() ? "the reply is empty" : "the reply is not JSON";
    return;
  }
  if (auto told = told_error(*body)) {
    error_ = std::move(told);
    return;
  }
  const Json* choice = body->is_object() ? first_choice(*body) : nullptr;
  if (choice == nullptr || member(*choice, "message").empty()) {
    fault_ = "the reply holds no choices[0].message";
    return;
  }
  take_names(*body);
  const Json& message = member(*choice, "message");
  partial_.text = content_of(message);
  partial_.reasoning = reasoning_of(message);
  partial_.refusal = text_of(message, "refusal");
  partial_.finish_reason = text_of(*choice, "finish_reason");
  split_thoughts(partial_);
  whole_ = std::move(partial_);
}

void CompletionReader::conclude() {
  if (error_) return;
  if (fault_.empty() && !any_) fault_ = "the stream holds no completion";
  if (fault_.empty() && !done_ && partial_.finish_reason.empty()) {
    fault_ = "the stream ended before the completion did";
  }
  if (!fault_.empty()) return;
  split_thoughts(partial_);
  whole_ = std::move(partial_);
}

}  // namespace kvgen::generate
