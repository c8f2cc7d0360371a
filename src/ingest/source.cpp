#include "kvgen/ingest/source.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <unordered_set>

#include "ingest/rows.h"
#include "kvgen/base/json.h"

namespace kvgen {
namespace {

constexpr std::size_t kNameLimit = 100;
constexpr std::size_t kSourcesLimit = 1'000'000;

bool passed_over(const std::string& name) {
  return name.starts_with('.') || name.starts_with("__");
}

class Finder {
 public:
  Finder(Files& files, const SourceOptions& options) : files_(files), options_(options) {}

  Result<void> take(const fs::path& path) {
    const std::size_t before = found_.size() + twice_;
    if (path.filename() == "task.json") {
      add(Source::Kind::kBundle, path.has_parent_path() ? path.parent_path() : fs::path("."));
    } else if (path.extension() == ".py" && !files_.list(path).ok()) {
      if (!files_.exists(path)) return missing(path);
      add(Source::Kind::kModule, path);
    } else if (path.extension() == ".jsonl" && !files_.list(path).ok()) {
      if (!files_.exists(path)) return missing(path);
      TRY_VOID(take_rows(path));
    } else {
      if (!files_.exists(path)) return missing(path);
      auto listed = files_.list(path);
      if (!listed.ok()) {
        return Error(Code::kInvalid,
                     path.string() + " is neither a .py or .jsonl file, a task.json nor a folder");
      }
      TRY_VOID(take_folder(path, *listed, true));
    }
    if (found_.size() + twice_ == before) {
      if (path.extension() == ".jsonl") {
        return Error(Code::kInvalid, path.string() + " holds no row");
      }
      return Error(Code::kInvalid,
                   path.string() + " holds no .py file and no bundle (NAME/task.json)");
    }
    return ok();
  }

  std::vector<Source> sources() {
    std::set<std::string> taken;
    for (const Source& source : found_) {
      if (source.kind == Source::Kind::kBundle) taken.insert(source.name);
    }
    for (Source& source : found_) {
      if (source.kind == Source::Kind::kBundle) continue;
      source.capture = options_.capture;
      source.capture.entry = entry_of(source);
      const std::string wanted = source.name;
      for (int ordinal = 2; !taken.insert(source.name).second; ++ordinal) {
        const std::string suffix = "_" + std::to_string(ordinal);
        source.name = wanted.substr(0, kNameLimit - suffix.size()) + suffix;
      }
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::string entry_of(const Source& source) const {
    const std::string& entry = options_.capture.entry;
    const std::size_t colon = entry.rfind(':');
    if (colon == std::string::npos) return entry;
    const fs::path file = entry.substr(0, colon);
    const bool meant = file.has_parent_path()
                           ? file.lexically_normal() == source.path.lexically_normal()
                           : file == source.path.filename();
    return meant ? entry.substr(colon + 1) : "";
  }

  static Error missing(const fs::path& path) {
    return {Code::kNotFound, path.string() + " does not exist"};
  }

  bool is_new(const fs::path& path) {
    const bool fresh = seen_.insert(path.lexically_normal().string()).second;
    if (!fresh) ++twice_;
    return fresh;
  }

  Result<void> take_rows(const fs::path& path) {
    if (!is_new(path)) return ok();
    TRY(auto rows, read_rows(files_, path, options_));
    if (rows.size() + found_.size() > kSourcesLimit) {
      return Error(Code::kInvalid, path.string() + ": too many sources");
    }
    std::move(rows.begin(), rows.end(), std::back_inserter(found_));
    return ok();
  }

  void add(Source::Kind kind, const fs::path& path) {
    if (!is_new(path)) return;
    const fs::path plain = path.lexically_normal();
    const bool ends_in_slash = plain.filename().empty();
    const fs::path last = ends_in_slash ? plain.parent_path().filename() : plain.filename();
    const fs::path stem = kind == Source::Kind::kModule ? last.stem() : last;
    Source source{kind, path, sanitised_name(stem.string())};
    if (kind == Source::Kind::kModule) {
      source.license = options_.license;
      source.origin = options_.origin;
    }
    found_.push_back(std::move(source));
  }

  Result<void> take_folder(const fs::path& folder, const std::vector<std::string>& entries,
                           bool enter) {
    if (std::find(entries.begin(), entries.end(), "task.json") != entries.end()) {
      add(Source::Kind::kBundle, folder);
      return ok();
    }
    for (const std::string& entry : entries) {
      if (found_.size() > kSourcesLimit) {
        return Error(Code::kInvalid, folder.string() + ": too many sources");
      }
      if (passed_over(entry)) continue;
      if (entry.ends_with('/')) {
        if (!enter) continue;
        const fs::path inner = folder / entry.substr(0, entry.size() - 1);
        // Of ten thousand bundles none is listed, so that a run goes on at once.
        if (files_.exists(inner / "task.json")) {
          add(Source::Kind::kBundle, inner);
          continue;
        }
        TRY(const auto listed, files_.list(inner));
        TRY_VOID(take_folder(inner, listed, false));
      } else if (entry.ends_with(".py")) {
        add(Source::Kind::kModule, folder / entry);
      }
    }
    return ok();
  }

  Files& files_;
  const SourceOptions& options_;
  std::vector<Source> found_;
  std::unordered_set<std::string> seen_;
  std::size_t twice_ = 0;
};

}  // namespace

std::string Source::where() const {
  return kind == Kind::kRow ? path.string() + ":" + std::to_string(row) : path.string();
}

std::string Source::file() const { return kind == Kind::kRow ? name + ".py" : path.string(); }

Result<std::vector<Source>> find_sources(Files& files, const std::vector<fs::path>& paths,
                                         const SourceOptions& options) {
  Finder finder(files, options);
  for (const fs::path& path : paths) TRY_VOID(finder.take(path));
  return finder.sources();
}

Result<std::string> read_module(Files& files, const Source& source) {
  if (source.kind == Source::Kind::kRow) {
    if (!source.fault.empty()) return Error(Code::kInvalid, source.where() + ": " + source.fault);
    return source.text;
  }
  TRY(std::string text, files.read(source.path, kModuleBytesLimit));
  try {
    static_cast<void>(Json(text).dump());
  } catch (const Json::exception&) {
    return Error(Code::kInvalid, source.path.string() + " is not UTF-8 text");
  }
  return text;
}

std::string sanitised_name(const std::string& name) {
  std::string out;
  for (const char c : name.substr(0, kNameLimit)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept = byte < 128 && (std::isalnum(byte) != 0 || c == '_' || c == '-' || c == '.');
    out += kept ? c : '_';
  }
  if (out.empty() || std::isalnum(static_cast<unsigned char>(out[0])) == 0) {
    out.insert(0, "t");
    out.resize(std::min(out.size(), kNameLimit));
  }
  return out;
}

}  // namespace kvgen
