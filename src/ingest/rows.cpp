#include "ingest/rows.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "kvgen/base/json.h"

namespace kvgen {
namespace {

constexpr std::uint64_t kFileBytesLimit = 256UL << 20U;
constexpr std::size_t kRowBytesLimit = 8UL << 20U;
constexpr std::size_t kFactLimit = 2000;  // of a licence or an origin

bool blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

const std::string* text_in(const Json& row, const std::string& column) {
  const auto at = row.find(column);
  return at == row.end() ? nullptr : at->get_ptr<const std::string*>();
}

// The first of the columns that holds text, but for the one that holds the module.
std::string fact(const Json& row, const std::initializer_list<const char*>& columns,
                 const SourceOptions& options, const std::string& otherwise) {
  for (const char* column : columns) {
    if (column == options.column) continue;
    const std::string* text = text_in(row, column);
    if (text != nullptr && !text->empty()) return text->substr(0, kFactLimit);
  }
  return otherwise;
}

std::string columns_of(const Json& row) {
  std::string names;
  for (const auto& [name, value] : row.items()) {
    if (names.size() > 200) return names + ", ...";
    names += (names.empty() ? "" : ", ") + name.substr(0, 40);
  }
  return names.empty() ? "none" : names;
}

// Fills the source from its line; gives the fault, or "".
std::string fill(Source& source, std::string_view line, const SourceOptions& options) {
  const auto row = parse_json(line, {.bytes = kRowBytesLimit, .depth = 64});
  if (!row.ok()) return "is not a row of JSON: " + row.error().message();
  if (!row->is_object()) return "is not a JSON object";
  if (!options.name_column.empty()) {
    const std::string* name = text_in(*row, options.name_column);
    if (name == nullptr) return "has no text in the column \"" + options.name_column + "\"";
    const bool is_file = name->ends_with(".py");
    source.name = sanitised_name(is_file ? name->substr(0, name->size() - 3) : *name);
  }
  source.license = fact(*row, {"license", "licence"}, options, options.license);
  source.origin = fact(*row, {"origin", "source", "url"}, options, options.origin);
  const std::string* text = text_in(*row, options.column);
  if (text == nullptr) {
    return "has no text in the column \"" + options.column + "\" (it has " + columns_of(*row) +
           "); name the column with --column";
  }
  if (text->size() > kModuleBytesLimit) return "holds a module of more than 1 MB";
  source.text = *text;
  return "";
}

}  // namespace

Result<std::vector<Source>> read_rows(Files& files, const fs::path& path,
                                      const SourceOptions& options) {
  TRY(const std::string content, files.read(path, kFileBytesLimit));
  std::string_view rest = content;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  std::vector<Source> rows;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (blank(line)) continue;
    Source source{Source::Kind::kRow, path,
                  sanitised_name(path.stem().string() + "_" + std::to_string(number))};
    source.row = number;
    source.fault = fill(source, line, options);
    rows.push_back(std::move(source));
  }
  return rows;
}

}  // namespace kvgen
