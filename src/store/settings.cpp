#include "store/settings.h"

#include <map>
#include <set>

namespace kvgen {
namespace {

constexpr std::size_t kShownValue = 80;

void flatten(const Json& value, const std::string& name, std::map<std::string, Json>& out) {
  if (!value.is_object() || value.empty()) {
    if (!name.empty()) out[name] = value;
    return;
  }
  for (const auto& [key, inner] : value.items()) {
    flatten(inner, name.empty() ? key : name + "." + key, out);
  }
}

std::string shown(const std::map<std::string, Json>& settings, const std::string& name) {
  const auto found = settings.find(name);
  if (found == settings.end()) return "not set";
  std::string text = to_line(found->second);
  if (text.size() > kShownValue) text = text.substr(0, kShownValue) + "...";
  return text;
}

}  // namespace

std::vector<std::string> settings_that_differ(const Json& then, const Json& now) {
  std::map<std::string, Json> old_settings;
  std::map<std::string, Json> new_settings;
  flatten(then, "", old_settings);
  flatten(now, "", new_settings);
  std::set<std::string> names;
  for (const auto& [name, value] : old_settings) names.insert(name);
  for (const auto& [name, value] : new_settings) names.insert(name);
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    const auto before = old_settings.find(name);
    const auto after = new_settings.find(name);
    const bool same = before != old_settings.end() && after != new_settings.end() &&
                      before->second == after->second;
    if (same) continue;
    lines.push_back(name + ": " + shown(old_settings, name) + " then, " +
                    shown(new_settings, name) + " now");
  }
  return lines;
}

}  // namespace kvgen
