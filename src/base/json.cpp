#include "kvgen/base/json.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace kvgen {
namespace {

const Json kEmptyArray = Json::array();
const Json kEmptyObject = Json::object();

// Builds a Json while refusing what nlohmann's own parser lets through.
class StrictBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit StrictBuilder(int depth_limit) : depth_limit_(depth_limit) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    const bool integer = text.find_first_of(".eE") == std::string::npos;
    if (integer) return refuse("the integer " + text + " does not fit 64 bits");
    if (!std::isfinite(value)) return refuse("the number " + text + " is out of range");
    return put(value);
  }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return refuse("binary values are not JSON"); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (stack_.back()->contains(name)) return refuse("the key \"" + name + "\" stands twice");
    keys_.back() = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& cause) override {
    std::string text = cause.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..."
    if (const auto at = text.find("] "); at != std::string::npos) text.erase(0, at + 2);
    if (const auto at = text.find("syntax error"); at != std::string::npos) text.erase(0, at);
    return refuse(text + " (byte " + std::to_string(position) + ")");
  }

  Json root;
  std::string problem;

 private:
  bool refuse(std::string what) {
    if (problem.empty()) problem = std::move(what);
    return false;
  }
  Json* place(Json value) {
    if (stack_.empty()) {
      root = std::move(value);
      return &root;
    }
    Json& parent = *stack_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    Json& slot = parent[keys_.back()];
    slot = std::move(value);
    return &slot;
  }
  template <class T>
  bool put(T value) {
    place(Json(std::move(value)));
    return true;
  }
  bool open(Json value) {
    if (static_cast<int>(stack_.size()) >= depth_limit_) {
      return refuse("nested deeper than " + std::to_string(depth_limit_) + " levels");
    }
    stack_.push_back(place(std::move(value)));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    stack_.pop_back();
    keys_.pop_back();
    return true;
  }

  int depth_limit_;
  std::vector<Json*> stack_;
  std::vector<std::string> keys_;
};

template <class T>
constexpr std::string_view kWanted = "a value";
template <>
constexpr std::string_view kWanted<bool> = "true or false";
template <>
constexpr std::string_view kWanted<std::string> = "text";
template <>
constexpr std::string_view kWanted<double> = "a number";
template <>
constexpr std::string_view kWanted<std::int64_t> = "an integer";
template <>
constexpr std::string_view kWanted<std::uint64_t> = "a non-negative integer";
template <>
constexpr std::string_view kWanted<int> = "a 32-bit integer";
template <>
constexpr std::string_view kWanted<std::vector<std::int64_t>> = "a list of integers";
template <>
constexpr std::string_view kWanted<std::vector<std::string>> = "a list of texts";

bool read(const Json& value, Json& out) {
  out = value;
  return true;
}
bool read(const Json& value, bool& out) {
  if (!value.is_boolean()) return false;
  out = value.get<bool>();
  return true;
}
bool read(const Json& value, std::string& out) {
  if (!value.is_string()) return false;
  out = value.get<std::string>();
  return true;
}
bool read(const Json& value, double& out) {
  if (!value.is_number()) return false;
  out = value.get<double>();
  return true;
}
bool read(const Json& value, std::int64_t& out) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return false;
  }
  out = value.get<std::int64_t>();
  return true;
}
bool read(const Json& value, std::uint64_t& out) {
  if (!value.is_number_integer()) return false;
  if (!value.is_number_unsigned() && value.get<std::int64_t>() < 0) return false;
  out = value.get<std::uint64_t>();
  return true;
}
bool read(const Json& value, int& out) {
  std::int64_t wide = 0;
  if (!read(value, wide) || wide < std::numeric_limits<int>::min() ||
      wide > std::numeric_limits<int>::max()) {
    return false;
  }
  out = static_cast<int>(wide);
  return true;
}
template <class T>
bool read(const Json& value, std::vector<T>& out) {
  if (!value.is_array()) return false;
  for (const Json& item : value) {
    T element{};
    if (!read(item, element)) return false;
    out.push_back(std::move(element));
  }
  return true;
}

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return Error(Code::kInvalid, "the JSON text has " + std::to_string(text.size()) +
                                     " bytes; the limit is " + std::to_string(limits.bytes));
  }
  // The parser takes a zero byte for the end and would not see what follows.
  if (const auto zero = text.find('\0'); zero != std::string_view::npos) {
    return Error(Code::kInvalid, "a zero byte (byte " + std::to_string(zero + 1) + ")");
  }
  StrictBuilder builder(limits.depth);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    return Error(Code::kInvalid, builder.problem.empty() ? "not JSON" : builder.problem);
  }
  return std::move(builder.root);
}

std::string to_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Fields::Fields(const Json& object, std::string where)
    : object_(object.is_object() ? object : kEmptyObject), where_(std::move(where)) {
  if (!object.is_object()) error_ = Error(Code::kInvalid, where_ + ": expected an object");
}

std::string Fields::path(std::string_view key) const {
  return where_.empty() ? std::string(key) : where_ + "." + std::string(key);
}

bool Fields::has(std::string_view key) const { return object_.contains(key); }

const Json* Fields::find(std::string_view key, bool required) {
  const auto it = object_.find(key);
  if (it != object_.end()) {
    seen_.emplace_back(it.key());
    return &*it;
  }
  if (required) fail(key, "is missing");
  return nullptr;
}

template <class T>
T Fields::convert(const Json& value, std::string_view key) {
  T out{};
  if (read(value, out)) return out;
  fail(key, "must be " + std::string(kWanted<T>));
  return T{};
}
template bool Fields::convert<bool>(const Json&, std::string_view);
template int Fields::convert<int>(const Json&, std::string_view);
template double Fields::convert<double>(const Json&, std::string_view);
template std::int64_t Fields::convert<std::int64_t>(const Json&, std::string_view);
template std::uint64_t Fields::convert<std::uint64_t>(const Json&, std::string_view);
template std::string Fields::convert<std::string>(const Json&, std::string_view);
template Json Fields::convert<Json>(const Json&, std::string_view);
template std::vector<std::int64_t> Fields::convert<std::vector<std::int64_t>>(const Json&,
                                                                              std::string_view);
template std::vector<std::string> Fields::convert<std::vector<std::string>>(const Json&,
                                                                            std::string_view);

const Json& Fields::array(std::string_view key) {
  const Json* value = find(key, true);
  if (value != nullptr && value->is_array()) return *value;
  if (value != nullptr) fail(key, "must be a list");
  return kEmptyArray;
}

const Json& Fields::array_or_empty(std::string_view key) {
  return has(key) ? array(key) : kEmptyArray;
}

const Json& Fields::object(std::string_view key) {
  const Json* value = find(key, true);
  if (value != nullptr && value->is_object()) return *value;
  if (value != nullptr) fail(key, "must be an object");
  return kEmptyObject;
}

void Fields::fail(std::string_view key, std::string_view problem) {
  if (!error_) error_ = Error(Code::kInvalid, path(key) + " " + std::string(problem));
}

Result<void> Fields::finish() {
  if (error_) return *error_;
  for (const auto& [key, value] : object_.items()) {
    if (std::find(seen_.begin(), seen_.end(), key) == seen_.end()) {
      return Error(Code::kInvalid, path(key) + " is not a known key");
    }
  }
  return ok();
}

Result<void> Fields::finish_allowing_unknown() {
  if (error_) return *error_;
  return ok();
}

}  // namespace kvgen
