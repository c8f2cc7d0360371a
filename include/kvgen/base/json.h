#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kvgen/base/result.h"

namespace kvgen {

// Keys are sorted, so dump() of equal values is equal text: what we hash and store.
using Json = nlohmann::json;

struct JsonLimits {
  std::size_t bytes = 64UL << 20;
  int depth = 64;
};

// Parses untrusted text. Refuses duplicate keys, integers beyond int64/uint64,
// text beyond the limits and invalid UTF-8; the Error is kInvalid and says where.
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

// One line, invalid UTF-8 replaced; never throws.
std::string to_line(const Json& value);

// Numbers that JSON cannot hold become null (records add the reason beside them).
Json finite_or_null(double value);

// Reads the fields of an untrusted JSON object. The first fault is kept and
// every later read returns a default, so a decoder is a list of reads followed
// by one finish().
//
//   Fields f(json, "task.json");
//   task.name = f.get<std::string>("name");
//   TRY_VOID(f.finish());
class Fields {
 public:
  // `where` names the object in messages ("task.json: variants[0]").
  Fields(const Json& object, std::string where);

  // T: bool, std::int64_t, std::uint64_t, int, double, std::string, Json,
  // std::vector of int64_t or of std::string.
  template <class T>
  T get(std::string_view key) {
    const Json* value = find(key, true);
    return value == nullptr ? T{} : convert<T>(*value, key);
  }
  template <class T>
  T get_or(std::string_view key, T fallback) {
    const Json* value = find(key, false);
    return value == nullptr ? std::move(fallback) : convert<T>(*value, key);
  }
  template <class T>
  std::optional<T> maybe(std::string_view key) {
    const Json* value = find(key, false);
    if (value == nullptr || value->is_null()) return std::nullopt;
    return convert<T>(*value, key);
  }
  [[nodiscard]] bool has(std::string_view key) const;
  // The array or object under a key (an empty one when absent or wrong).
  const Json& array(std::string_view key);
  const Json& array_or_empty(std::string_view key);
  const Json& object(std::string_view key);

  void fail(std::string_view key, std::string_view problem);
  [[nodiscard]] std::string path(std::string_view key) const;
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] bool failed() const { return error_.has_value(); }

  // Unknown keys are errors unless allowed.
  Result<void> finish();
  Result<void> finish_allowing_unknown();

 private:
  const Json* find(std::string_view key, bool required);
  template <class T>
  T convert(const Json& value, std::string_view key);

  const Json& object_;
  std::string where_;
  std::vector<std::string_view> seen_;  // keys of object_
  std::optional<Error> error_;
};

}  // namespace kvgen
