#include "tests/support/json_schema.h"

#include <algorithm>
#include <regex>
#include <set>

namespace kvgen::testing {
namespace {

const std::set<std::string> kAnnotations = {"$schema", "$id",         "$defs",   "$comment",
                                            "title",   "description", "examples"};

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  void check(const Json& schema, const Json& value, const std::string& path) {
    if (schema.is_boolean()) {
      if (!schema.get<bool>()) fault(path, "is not allowed");
      return;
    }
    for (const auto& [keyword, wanted] : schema.items()) {
      if (kAnnotations.contains(keyword)) continue;
      apply(keyword, wanted, schema, value, path);
    }
  }

  std::vector<std::string> faults;

 private:
  void fault(const std::string& path, const std::string& what) {
    faults.push_back((path.empty() ? "(root)" : path) + ": " + what);
  }

  void apply(const std::string& keyword, const Json& wanted, const Json& schema, const Json& value,
             const std::string& path) {
    if (keyword == "type") return type(wanted, value, path);
    if (keyword == "$ref") return check(resolve(wanted), value, path);
    if (keyword == "anyOf") return any_of(wanted, value, path);
    if (keyword == "const") {
      if (value != wanted) fault(path, "must be " + wanted.dump());
    } else if (keyword == "enum") {
      if (std::find(wanted.begin(), wanted.end(), value) == wanted.end()) {
        fault(path, value.dump() + " is not one of " + wanted.dump());
      }
    } else if (keyword == "required") {
      for (const Json& name : wanted) {
        if (value.is_object() && !value.contains(name.get<std::string>())) {
          fault(path, name.get<std::string>() + " is missing");
        }
      }
    } else if (keyword == "properties" || keyword == "additionalProperties") {
      members(keyword, wanted, schema, value, path);
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
        check(wanted, value[i], path + "[" + std::to_string(i) + "]");
      }
    } else if (keyword == "pattern") {
      if (value.is_string() &&
          !std::regex_search(value.get<std::string>(), std::regex(wanted.get<std::string>()))) {
        fault(path, value.dump() + " does not match " + wanted.get<std::string>());
      }
    } else {
      bounds(keyword, wanted, value, path);
    }
  }

  void members(const std::string& keyword, const Json& wanted, const Json& schema,
               const Json& value, const std::string& path) {
    if (!value.is_object()) return;
    const Json known = schema.value("properties", Json::object());
    for (const auto& [name, member] : value.items()) {
      const std::string place = path.empty() ? name : path + "." + name;
      const bool listed = known.contains(name);
      if (keyword == "properties" && listed) check(wanted.at(name), member, place);
      if (keyword == "additionalProperties" && !listed) check(wanted, member, place);
    }
  }

  void bounds(const std::string& keyword, const Json& wanted, const Json& value,
              const std::string& path) {
    const double limit = wanted.is_number() ? wanted.get<double>() : 0;
    const double number = value.is_number() ? value.get<double>() : 0;
    const auto size =
        static_cast<double>(value.is_string() ? value.get<std::string>().size() : value.size());
    bool good = true;
    if (keyword == "minimum") {
      good = !value.is_number() || number >= limit;
    } else if (keyword == "exclusiveMinimum") {
      good = !value.is_number() || number > limit;
    } else if (keyword == "maximum") {
      good = !value.is_number() || number <= limit;
    } else if (keyword == "minLength") {
      good = !value.is_string() || size >= limit;
    } else if (keyword == "minItems") {
      good = !value.is_array() || size >= limit;
    } else if (keyword == "maxItems") {
      good = !value.is_array() || size <= limit;
    } else {
      fault(path, "the schema uses an unknown keyword: " + keyword);
    }
    if (!good) fault(path, "breaks " + keyword + " " + wanted.dump());
  }

  void type(const Json& wanted, const Json& value, const std::string& path) {
    const Json names = wanted.is_array() ? wanted : Json::array({wanted});
    const bool fits = std::any_of(names.begin(), names.end(), [&](const Json& name) {
      return is_a(name.get<std::string>(), value);
    });
    if (!fits) fault(path, "is not of type " + wanted.dump());
  }

  static bool is_a(const std::string& name, const Json& value) {
    if (name == "null") return value.is_null();
    if (name == "boolean") return value.is_boolean();
    if (name == "integer") return value.is_number_integer();
    if (name == "number") return value.is_number();
    if (name == "string") return value.is_string();
    if (name == "array") return value.is_array();
    return name == "object" && value.is_object();
  }

  void any_of(const Json& choices, const Json& value, const std::string& path) {
    std::vector<std::string> nearest;
    for (const Json& choice : choices) {
      Validator tried(root_);
      tried.check(choice, value, path);
      if (tried.faults.empty()) return;
      nearest = tried.faults;
    }
    fault(path, "fits none of anyOf (of the last: " + nearest.front() + ")");
  }

  const Json& resolve(const Json& reference) {
    static const Json kNever = false;
    const auto text = reference.get<std::string>();
    const std::string prefix = "#/$defs/";
    if (!text.starts_with(prefix) || !root_.contains("$defs")) return kNever;
    const auto found = root_["$defs"].find(text.substr(prefix.size()));
    return found == root_["$defs"].end() ? kNever : *found;
  }

  const Json& root_;
};

}  // namespace

std::vector<std::string> faults_against(const Json& schema, const Json& value) {
  Validator validator(schema);
  validator.check(schema, value, "");
  return validator.faults;
}

}  // namespace kvgen::testing
