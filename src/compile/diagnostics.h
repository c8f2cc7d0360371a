#pragma once

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>

#include <map>
#include <optional>
#include <string>

namespace kvgen {

// A place in the candidate's text, 1-based.
struct CandidatePlace {
  int line = 0;
  int column = 0;
};

// The place of a location (of its expansion, for a macro); none outside the candidate's file.
std::optional<CandidatePlace> candidate_place(const clang::SourceManager& sources,
                                              clang::SourceLocation location);
// Whether the token itself was written in the candidate's file, not in a macro of ours.
bool spelled_by_candidate(const clang::SourceManager& sources, clang::SourceLocation location);

// Collects errors as "kernel.hip:LINE:COL: error: ..." lines; says nothing of our own files.
class CandidateDiagnostics : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override;
  // An error of the back end, which has no clang diagnostic.
  void add_error(const clang::SourceManager& sources, clang::SourceLocation location,
                 const std::string& message);

  // Errors inside the buffer of kernel expression i go to expression_errors()[i].
  void own_expression(clang::FileID file, int index) { expressions_[file] = index; }
  [[nodiscard]] const std::map<int, std::string>& expression_errors() const { return errors_; }

  // Head and tail, at most 16 KB.
  [[nodiscard]] std::string text() const;
  // "kernel.hip:3:5: error: ..." of the first error; empty when none.
  [[nodiscard]] const std::string& first_error() const { return first_error_; }

 private:
  void add(const clang::SourceManager* sources, clang::SourceLocation location,
           const char* severity, const std::string& message);

  std::string text_;
  std::string first_error_;
  bool showing_ = false;  // notes follow what they belong to
  std::map<clang::FileID, int> expressions_;
  std::map<int, std::string> errors_;
};

}  // namespace kvgen
