#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "generate/llm/sse.h"
#include "kvgen/base/json.h"

namespace kvgen::generate {

// What a model answered, whatever the provider's spelling.
struct Completion {
  std::string text;
  std::string reasoning;      // `reasoning_content`, `reasoning`, or a leading <think> block
  std::string refusal;        // the model's own words when it declines
  std::string finish_reason;  // "stop", "length", ...; "" when not told
  std::string model;          // as the server names it
  std::string id;
  Json usage;  // as told, null when not
};

// An `error` object: instead of a completion, or in the middle of one.
struct ToldError {
  std::string message;
  std::string type;
  std::string code;   // "insufficient_quota", "429"
  std::string param;  // "max_tokens"
  int status = 0;     // where the code is a number
};

// {"error": {...}}, {"error": "text"}, {"message": ...}; nothing when it is none of these.
std::optional<ToldError> told_error(const Json& body);

// Reads the body of a chat completion as it comes: one JSON object, or server-sent
// events, whichever it is. Untrusted; bounded by the caller's limit on the body.
class CompletionReader {
 public:
  // false: the completion has ended, whatever may still come.
  bool feed(std::string_view piece);
  void end();  // of the body

  // After the end, exactly one holds: a whole completion, an error told, or a fault.
  [[nodiscard]] const std::optional<Completion>& completion() const { return whole_; }
  [[nodiscard]] const std::optional<ToldError>& error() const { return error_; }
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  enum class Form { kUnknown, kJson, kEvents };
  void take(const SseEvent& event);
  void take_chunk(const Json& chunk);
  void take_whole();
  void take_names(const Json& object);
  void conclude();

  Form form_ = Form::kUnknown;
  std::string json_;
  SseParser events_;
  Completion partial_;
  bool done_ = false;  // [DONE] was seen
  bool any_ = false;   // a chunk was seen
  std::optional<Completion> whole_;
  std::optional<ToldError> error_;
  std::string fault_;
};

}  // namespace kvgen::generate
