// check_records RUN: holds every file of RUN/shards against manifest.json, every
// line against its schema, and every id against the record it names. Prints one
// line per fault; exits 1 when there is any.
#include <iostream>
#include <map>
#include <set>

#include "kvgen/base/hash.h"
#include "kvgen/store/shards.h"
#include "tests/support/json_schema.h"

namespace {

using namespace kvgen;

class Checker {
 public:
  explicit Checker(fs::path shards) : shards_(std::move(shards)) {}

  void check_file(const Json& entry) {
    const std::string file = entry.at("file");
    const std::string kind = entry.at("kind");
    const auto bytes = real_files().read(shards_ / file, 1UL << 30);
    if (!bytes.ok()) return fault(file, bytes.error().message());
    if (entry.at("sha256") != Json(sha256(*bytes))) fault(file, "has another SHA-256 than told");
    const auto lines = read_shard(real_files(), shards_ / file);
    if (!lines.ok()) return fault(file, lines.error().message());
    if (entry.at("records") != Json(lines->size())) fault(file, "has another count than told");
    const Json& schema = schema_of(kind);
    for (std::size_t i = 0; i < lines->size(); ++i) {
      const Json& line = (*lines)[i];
      const std::string where = file + " line " + std::to_string(i + 1);
      for (const std::string& what : testing::faults_against(schema, line)) fault(where, what);
      if (!ids_[kind].insert(line.value("id", "")).second) fault(where, "its id stands twice");
      note_references(where, line);
    }
    records_ += lines->size();
  }

  int finish() {
    for (const auto& [where, kind, id] : references_) {
      if (!ids_[kind].contains(id)) fault(where, "names a " + kind + " that is not there");
    }
    if (faults_ == 0) std::cout << records_ << " records fit their schemas\n";
    return faults_ == 0 ? 0 : 1;
  }

 private:
  struct Reference {
    std::string where;
    std::string kind;
    std::string id;
  };

  static std::string kind_of(const Json& line) { return line.value("kind", ""); }

  void note_references(const std::string& where, const Json& line) {
    const auto note = [&](const char* kind, const Json& id) {
      if (id.is_string()) references_.push_back({where, kind, id});
    };
    for (const char* kind : {"task", "attempt", "verdict"}) {
      note(kind, line.value(kind, Json()));
    }
    if (kind_of(line) == "attempt") note("attempt", line.value("parent", Json()));
    for (const Json& id : line.value("builds", Json::array())) note("build", id);
    for (const Json& id : line.value("profiles", Json::array())) note("profile", id);
  }

  const Json& schema_of(const std::string& kind) {
    const auto known = schemas_.find(kind);
    if (known != schemas_.end()) return known->second;
    const auto text = real_files().read(
        fs::path(KVGEN_SOURCE_DIR) / "configs/schema" / (kind + ".schema.json"), 1UL << 20);
    return schemas_[kind] = text.ok() ? Json::parse(*text) : Json(false);
  }

  void fault(const std::string& where, const std::string& what) {
    std::cout << where << ": " << what << "\n";
    ++faults_;
  }

  fs::path shards_;
  std::map<std::string, Json> schemas_;
  std::map<std::string, std::set<std::string>> ids_;
  std::vector<Reference> references_;
  std::size_t records_ = 0;
  int faults_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "check_records RUN\n";
    return 2;
  }
  const fs::path shards = fs::path(argv[1]) / "shards";
  const auto text = real_files().read(shards / "manifest.json", 1UL << 24);
  if (!text.ok()) {
    std::cerr << text.error().message() << "\n";
    return 1;
  }
  Checker checker(shards);
  const Json manifest = Json::parse(*text);
  for (const Json& entry : manifest.at("shards")) checker.check_file(entry);
  return checker.finish();
}
