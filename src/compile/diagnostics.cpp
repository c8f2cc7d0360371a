#include "compile/diagnostics.h"

#include <llvm/ADT/SmallString.h>

#include "compile/compiler_log.h"
#include "compile/names.h"

namespace kvgen {
namespace {

constexpr std::size_t kCollected = 1U << 20;
constexpr std::size_t kLineShown = 160;

bool is_candidate(const clang::SourceManager& sources, clang::FileID file) {
  const auto entry = sources.getFileEntryRefForID(file);
  return entry && entry->getName() == llvm::StringRef(kCandidateFile);
}

// The line's text, shortened, without the white space before it.
std::string line_at(const clang::SourceManager& sources, clang::SourceLocation location) {
  const auto [file, offset] = sources.getDecomposedLoc(location);
  const llvm::StringRef text = sources.getBufferData(file);
  const std::size_t begin = text.rfind('\n', offset) == llvm::StringRef::npos || offset == 0
                                ? 0
                                : text.rfind('\n', offset - 1) + 1;
  const llvm::StringRef line = text.slice(begin, text.find('\n', offset)).trim();
  return line.substr(0, kLineShown).str() + (line.size() > kLineShown ? "..." : "");
}

}  // namespace

std::optional<CandidatePlace> candidate_place(const clang::SourceManager& sources,
                                              clang::SourceLocation location) {
  if (location.isInvalid()) return std::nullopt;
  const clang::SourceLocation shown = sources.getFileLoc(location);
  if (!is_candidate(sources, sources.getFileID(shown))) return std::nullopt;
  return CandidatePlace{static_cast<int>(sources.getSpellingLineNumber(shown)),
                        static_cast<int>(sources.getSpellingColumnNumber(shown))};
}

bool spelled_by_candidate(const clang::SourceManager& sources, clang::SourceLocation location) {
  return location.isValid() &&
         is_candidate(sources, sources.getFileID(sources.getSpellingLoc(location)));
}

void CandidateDiagnostics::add(const clang::SourceManager* sources, clang::SourceLocation location,
                               const char* severity, const std::string& message) {
  std::string line;
  if (sources != nullptr && location.isValid()) {
    if (const auto place = candidate_place(*sources, location)) {
      line = "kernel.hip:" + std::to_string(place->line) + ":" + std::to_string(place->column) +
             ": " + severity + ": " + message;
      if (first_error_.empty()) first_error_ = line;
      line += "\n    " + line_at(*sources, sources->getFileLoc(location));
    } else {
      line = std::string("in a header of kvgen: ") + severity + ": " + message;
    }
  } else {
    line = std::string("kernel.hip: ") + severity + ": " + message;
  }
  if (first_error_.empty()) first_error_ = line;
  if (text_.size() < kCollected) text_ += line + "\n";
}

void CandidateDiagnostics::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                            const clang::Diagnostic& info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);
  llvm::SmallString<256> message;
  info.FormatDiagnostic(message);
  const clang::SourceManager* sources =
      info.hasSourceManager() ? &info.getSourceManager() : nullptr;
  const clang::SourceLocation location = info.getLocation();

  if (level == clang::DiagnosticsEngine::Note) {
    if (showing_ && sources != nullptr && candidate_place(*sources, location)) {
      add(sources, location, "note", message.str().str());
    }
    return;
  }
  showing_ = level >= clang::DiagnosticsEngine::Error;
  if (!showing_) return;
  if (sources != nullptr && location.isValid()) {
    const auto owner = expressions_.find(sources->getFileID(sources->getFileLoc(location)));
    if (owner != expressions_.end()) {
      errors_.try_emplace(owner->second, message.str().str());
      showing_ = false;
      return;
    }
  }
  add(sources, location, "error", message.str().str());
}

void CandidateDiagnostics::add_error(const clang::SourceManager& sources,
                                     clang::SourceLocation location, const std::string& message) {
  add(&sources, location, "error", message);
}

std::string CandidateDiagnostics::text() const { return head_and_tail(text_); }

}  // namespace kvgen
