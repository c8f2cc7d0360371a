#include "generate/prompt/template.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace kvgen::generate {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
  });
}

Error fault(const std::string& where, const std::string& what) {
  return {Code::kInvalid, where + ": " + what};
}

}  // namespace

Result<Template> Template::parse(std::string_view text, const std::string& where) {
  Template parsed;
  parsed.where_ = where;
  std::vector<std::string> open;
  while (!text.empty()) {
    const auto at = text.find("{{");
    parsed.pieces_.push_back({Piece::Kind::kText, std::string(text.substr(0, at))});
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + 2);
    const auto end = text.find("}}");
    if (end == std::string_view::npos) return fault(where, "{{ without }}");
    std::string name(text.substr(0, end));
    text.remove_prefix(end + 2);
    auto kind = Piece::Kind::kValue;
    if (name.starts_with('#') || name.starts_with('/')) {
      kind = name[0] == '#' ? Piece::Kind::kOpen : Piece::Kind::kClose;
      name.erase(0, 1);
    }
    if (!is_name(name)) return fault(where, "{{" + name + "}} is no name of a place");
    if (kind == Piece::Kind::kOpen) open.push_back(name);
    if (kind == Piece::Kind::kClose) {
      if (open.empty() || open.back() != name) {
        return fault(where, "{{/" + name + "}} closes nothing");
      }
      open.pop_back();
    }
    // The mark of a section on a line of its own.
    const auto& before = parsed.pieces_.back().text;
    const bool alone =
        before.empty() ? parsed.pieces_.size() == 1 ||
                             parsed.pieces_[parsed.pieces_.size() - 2].kind != Piece::Kind::kValue
                       : before.back() == '\n';
    if (kind != Piece::Kind::kValue && alone && text.starts_with('\n')) text.remove_prefix(1);
    parsed.pieces_.push_back({kind, std::move(name)});
  }
  if (!open.empty()) return fault(where, "{{#" + open.back() + "}} is never closed");
  return parsed;
}

Result<std::string> Template::fill(const TemplateValues& values) const {
  std::string out;
  std::set<std::string> used;
  int hidden = 0;  // how many sections around us are left out
  std::vector<bool> shown;
  for (const Piece& piece : pieces_) {
    if (piece.kind == Piece::Kind::kText) {
      if (hidden == 0) out += piece.text;
      continue;
    }
    if (piece.kind == Piece::Kind::kClose) {
      if (!shown.back()) --hidden;
      shown.pop_back();
      continue;
    }
    const auto value = values.find(piece.text);
    if (value == values.end()) return fault(where_, "nothing is named {{" + piece.text + "}}");
    used.insert(piece.text);
    if (piece.kind == Piece::Kind::kOpen) {
      shown.push_back(!value->second.empty());
      if (!shown.back()) ++hidden;
    } else if (hidden == 0) {
      out += value->second;
    }
  }
  for (const auto& [name, value] : values) {
    if (!used.contains(name)) return fault(where_, "{{" + name + "}} has no place in it");
  }
  return out;
}

}  // namespace kvgen::generate
