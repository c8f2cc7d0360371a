#include "settings.h"

#include <toml++/toml.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>

namespace kvgen::tools {
namespace {

constexpr std::uint64_t kConfigLimit = 1 << 20;

using Values = std::vector<std::string>;

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// What a file or the environment may set: long options but help and --config.
std::map<std::string, const CLI::Option*> options_of(const CLI::App& command) {
  std::map<std::string, const CLI::Option*> out;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name != "help" && name != "config") out[name] = option;
    }
  }
  return out;
}

std::string did_you_mean(const std::string& key, const Values& known) {
  const auto nearest = std::min_element(
      known.begin(), known.end(),
      [&](const auto& a, const auto& b) { return distance(key, a) < distance(key, b); });
  return nearest == known.end() ? "" : "; did you mean \"" + *nearest + "\"?";
}

Error unknown_key(const std::string& file, const std::string& table, const std::string& key,
                  const Values& known) {
  return {Code::kUsage, file + ": " + (table.empty() ? "" : "[" + table + "] ") + "\"" + key +
                            "\" is not an option" + (table.empty() ? "" : " of kvgen " + table) +
                            did_you_mean(key, known)};
}

std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* flag = node.as_boolean()) return std::string(flag->get() ? "true" : "false");
  if (const auto* number = node.as_floating_point()) {
    std::ostringstream text;
    text.precision(17);
    text << number->get();
    return text.str();
  }
  return std::nullopt;
}

Result<Values> values_of(const toml::node& node, const std::string& where) {
  if (auto one = scalar_text(node)) return Values{*one};
  if (const auto* list = node.as_array()) {
    Values values;
    for (const toml::node& item : *list) {
      auto one = scalar_text(item);
      if (!one) return Error(Code::kUsage, where + ": a list of texts or numbers is needed");
      values.push_back(*one);
    }
    return values;
  }
  return Error(Code::kUsage, where + ": a text, a number, true, false or a list is needed");
}

// The file's values for one command; everything in it is checked, whatever command runs.
Result<std::map<std::string, Values>> read_file(const CLI::App& app, const CLI::App& command,
                                                const std::string& file, const World& world) {
  TRY(const std::string text, world.files->read(file, kConfigLimit));
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& wrong) {
    const auto& at = wrong.source().begin;
    return Error(Code::kUsage,
                 file + ":" + std::to_string(at.line) + ": " + std::string(wrong.description()));
  }
  Values everywhere;  // options of any command
  std::map<std::string, const CLI::App*> commands;
  for (const CLI::App* one : app.get_subcommands({})) {
    commands[one->get_name()] = one;
    for (const auto& [name, option] : options_of(*one)) everywhere.push_back(name);
  }
  const auto own = options_of(command);
  std::map<std::string, Values> found;
  std::map<std::string, Values> closer;  // of the command's own table
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (const auto* inner = node.as_table()) {
      if (!commands.contains(name)) {
        Values names;
        for (const auto& [known, app_of] : commands) names.push_back(known);
        return unknown_key(file, "", name, names);
      }
      Values names;
      for (const auto& [option, unused] : options_of(*commands.at(name))) names.push_back(option);
      for (const auto& [inner_key, inner_node] : *inner) {
        const std::string option(inner_key.str());
        if (std::find(names.begin(), names.end(), option) == names.end()) {
          return unknown_key(file, name, option, names);
        }
        TRY(Values values, values_of(inner_node, file + ": [" + name + "] " + option));
        if (name == command.get_name()) closer[option] = std::move(values);
      }
      continue;
    }
    if (std::find(everywhere.begin(), everywhere.end(), name) == everywhere.end()) {
      return unknown_key(file, "", name, everywhere);
    }
    TRY(Values values, values_of(node, file + ": " + name));
    if (own.contains(name)) found[name] = std::move(values);
  }
  for (auto& [name, values] : closer) found[name] = std::move(values);
  return found;
}

std::string variable_of(const std::string& option) {
  std::string name = "KVGEN_" + option;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return name;
}

bool is_given(const Values& arguments, const std::string& option) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& one) {
    return one == "--" + option || one.starts_with("--" + option + "=");
  });
}

std::optional<std::string> config_of(const Values& arguments, const World& world) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].starts_with("--config=")) return arguments[i].substr(9);
    if (arguments[i] == "--config" && i + 1 < arguments.size()) return arguments[i + 1];
  }
  return world.environment("KVGEN_CONFIG");
}

void append(Values& arguments, const CLI::Option& option, const std::string& name,
            const Values& values) {
  const bool is_flag = option.get_expected_max() == 0;
  if (is_flag) {
    const std::string value = values.empty() ? "false" : values.front();
    if (value == "true" || value == "1") arguments.push_back("--" + name);
    return;
  }
  if (values.size() == 1) {
    arguments.push_back("--" + name + "=" + values.front());
  } else if (!values.empty()) {
    arguments.push_back("--" + name);
    arguments.insert(arguments.end(), values.begin(), values.end());
  }
}

// Variables that are no options: the key, and what the project's own scripts and tests read.
constexpr const char* kOtherVariables[] = {
    "KVGEN_CONFIG",       "KVGEN_API_KEY",    "KVGEN_BUILD",       "KVGEN_BINARY",
    "KVGEN_SOURCE_DIR",   "KVGEN_BINARY_DIR", "KVGEN_TEST_PYTHON", "KVGEN_TEST_CXX",
    "KVGEN_PEERS_PYTHON", "KVGEN_KILLS"};

}  // namespace

std::vector<std::string> unknown_variables(const CLI::App& app, const World& world) {
  Values known(std::begin(kOtherVariables), std::end(kOtherVariables));
  for (const CLI::App* command : app.get_subcommands({})) {
    for (const auto& [name, option] : options_of(*command)) known.push_back(variable_of(name));
  }
  std::vector<std::string> warnings;
  for (const std::string& name : world.variables) {
    if (!name.starts_with("KVGEN_")) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    warnings.push_back("the environment's " + name + " is no option and counts for nothing" +
                       did_you_mean(name, known));
  }
  return warnings;
}

Result<std::vector<std::string>> with_settings(const CLI::App& app, Values arguments,
                                               const World& world) {
  const CLI::App* command = nullptr;
  for (const CLI::App* one : app.get_subcommands({})) {
    if (!arguments.empty() && one->check_name(arguments.front())) command = one;
  }
  if (command == nullptr) return arguments;
  std::map<std::string, Values> from_file;
  if (const auto file = config_of(arguments, world)) {
    TRY(from_file, read_file(app, *command, *file, world));
  }
  Values completed = arguments;
  for (const auto& [name, option] : options_of(*command)) {
    const auto& names = option->get_lnames();
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& one) { return is_given(arguments, one); })) {
      continue;
    }
    if (const auto value = world.environment(variable_of(name))) {
      append(completed, *option, name, {*value});
    } else if (const auto found = from_file.find(name); found != from_file.end()) {
      append(completed, *option, name, found->second);
    }
  }
  return completed;
}

}  // namespace kvgen::tools
