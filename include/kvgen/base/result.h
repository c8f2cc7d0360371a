#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace kvgen {

// What kind of failure of ours an Error is. A candidate's failure is never an
// Error: it is an Outcome (model/outcome.h).
enum class Code {
  kUsage,      // the caller asked for something that makes no sense: exit 2
  kInvalid,    // a file, message or bundle is not what it should be
  kMissing,    // the environment lacks something: exit 3
  kNotFound,   // a named file or record does not exist
  kConflict,   // what exists contradicts what was asked
  kIo,         // reading or writing failed
  kFull,       // no space, quota or descriptor left
  kTimeout,    // a deadline passed
  kWorker,     // a worker died or broke the protocol
  kDenied,     // no permission
  kCancelled,  // interrupted by the user
  kInternal,   // a fault of kvgen itself
};

std::string_view to_string(Code code);

// An error of ours: environment, file, provider, worker or device. The message
// is one sentence that says what is wrong and what to do next.
class [[nodiscard]] Error {
 public:
  Error(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  [[nodiscard]] Code code() const { return code_; }
  [[nodiscard]] const std::string& message() const { return message_; }

  // Whether the same request may succeed if asked again (a fresh worker, a later time).
  [[nodiscard]] bool retryable() const { return retryable_; }
  Error& set_retryable(bool retryable = true) {
    retryable_ = retryable;
    return *this;
  }

  // Puts "context: " before the message.
  Error& prepend(std::string_view context);

 private:
  Code code_;
  std::string message_;
  bool retryable_ = false;
};

// A value or an Error. value() and error() require the right state.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] Error& error() & { return std::get<1>(state_); }
  [[nodiscard]] const Error& error() const& { return std::get<1>(state_); }
  [[nodiscard]] Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] Error& error() & { return *error_; }
  [[nodiscard]] const Error& error() const& { return *error_; }
  [[nodiscard]] Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

inline Result<void> ok() { return {}; }

}  // namespace kvgen

#define KVGEN_CONCAT_(a, b) a##b
#define KVGEN_CONCAT(a, b) KVGEN_CONCAT_(a, b)

// TRY(auto x, expression): binds the value, or returns the Error from this function.
#define TRY(binding, expression) \
  KVGEN_TRY_(KVGEN_CONCAT(kvgen_result_, __LINE__), binding, expression, return)
// CO_TRY: the same in a coroutine.
#define CO_TRY(binding, expression) \
  KVGEN_TRY_(KVGEN_CONCAT(kvgen_result_, __LINE__), binding, expression, co_return)
#define KVGEN_TRY_(temporary, binding, expression, leave)  \
  auto temporary = (expression);                           \
  if (!temporary.ok()) leave std::move(temporary).error(); \
  binding = std::move(temporary).value()

// TRY_VOID(expression): returns the Error of a Result<void> (or drops a value).
#define TRY_VOID(expression)                                                  \
  do {                                                                        \
    auto kvgen_void_result = (expression);                                    \
    if (!kvgen_void_result.ok()) return std::move(kvgen_void_result).error(); \
  } while (false)
#define CO_TRY_VOID(expression)                                                  \
  do {                                                                           \
    auto kvgen_void_result = (expression);                                       \
    if (!kvgen_void_result.ok()) co_return std::move(kvgen_void_result).error(); \
  } while (false)
