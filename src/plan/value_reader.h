#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kvgen/plan/plan.h"
#include "plan/names.h"
#include "plan/suggest.h"
#include "plan/text.h"

namespace kvgen {

// The spelling of an expression in a normalised plan: numbers as numbers.
inline Json canonical(const Expression& expression) {
  if (expression.nodes.size() == 1) {
    const auto& what = expression.nodes[0].what;
    if (const auto* integer = std::get_if<std::int64_t>(&what)) return *integer;
    if (const auto* real = std::get_if<double>(&what)) return *real;
  }
  return expression.text;
}

// Reads the small parts of a plan's document: keys, names, expressions. The
// first fault is kept; after it, reading goes on with empty values and its
// result is dropped.
class ValueReader {
 protected:
  void fail(std::string place, std::string message, std::string suggestion = "") {
    if (!fault_) fault_ = {std::move(place), std::move(message), std::move(suggestion)};
  }

  static std::string inside(const std::string& place, std::string_view key) {
    return place.empty() ? std::string(key) : place + "." + std::string(key);
  }

  void keys(const Json& object, const std::string& place, const std::vector<std::string>& known) {
    for (const auto& [key, value] : object.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      if (key == "cooperative" || key == "struct" || key == "table") {
        fail(inside(place, key), "is reserved and not supported yet");
      } else {
        fail(place, "unknown key " + quote(key.substr(0, 64)), nearest(key, known));
      }
    }
  }

  Expression expression(const Json& value, const std::string& place) {
    if (value.is_boolean()) {
      remark(place, std::string(value.get<bool>() ? "true" : "false") + " read as " +
                        (value.get<bool>() ? "1" : "0"));
      return literal(std::int64_t{value.get<bool>() ? 1 : 0});
    }
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
      fail(place, to_line(value) + " is beyond int64");
      return literal(std::int64_t{0});
    }
    if (value.is_number_integer()) return literal(value.get<std::int64_t>());
    if (value.is_number_float()) return literal(value.get<double>());
    if (!value.is_string()) {
      fail(place, "must be a number or an expression");
      return literal(std::int64_t{0});
    }
    const auto text = value.get<std::string>();
    ExpressionParse parsed = parse_expression(text);
    if (!parsed.problem.empty()) {
      const std::string shown = text.size() <= 80 ? text : text.substr(0, 77) + "...";
      fail(place, quote(shown) + ": " + parsed.problem, parsed.suggestion);
      return literal(std::int64_t{0});
    }
    for (const std::string& one : parsed.remarks) remark(place, one);
    return std::move(parsed.expression);
  }

  void remark(const std::string& place, const std::string& text) {
    if (plan_.remarks.size() < kMostRemarks) plan_.remarks.push_back(place + ": " + text);
  }

  std::vector<Expression> expressions(const Json& list, const std::string& place, std::size_t least,
                                      std::size_t most, Json& out) {
    std::vector<Expression> result;
    out = Json::array();
    if (!list.is_array() || list.size() < least || list.size() > most) {
      fail(place, "must be a list of " + std::to_string(least) + " to " + std::to_string(most) +
                      " numbers or expressions");
      return result;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      result.push_back(expression(list[i], at_index(place, i)));
      out.push_back(canonical(result.back()));
    }
    return result;
  }

  void declare(const std::string& name, const std::string& place) {
    if (++names_ > PlanLimits::kNames) {
      fail(place,
           "more than " + std::to_string(PlanLimits::kNames) + " names in let, buffers and as");
    }
    if (!is_plan_name(name)) {
      fail(place, quote(name.substr(0, 64)) +
                      " is not a name: a letter or _, then letters, digits, _ and dots");
    } else if (is_reserved(name)) {
      fail(place, quote(name) + " is a reserved name");
    } else if (!declared_.insert(name).second) {
      fail(place, quote(name) + " is declared twice: one name, one thing");
    }
  }

  Plan plan_;
  std::optional<PlanFault> fault_;
  std::set<std::string> declared_;

 private:
  static constexpr std::size_t kMostRemarks = 256;
  int names_ = 0;
};

}  // namespace kvgen
