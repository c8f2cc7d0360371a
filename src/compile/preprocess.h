#pragma once

#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>

#include <optional>
#include <string>
#include <vector>

#include "compile/diagnostics.h"
#include "compile/unit.h"

namespace kvgen {

// What the preprocessor saw of the candidate's own text.
struct PreprocessFindings {
  std::optional<Outcome> refusal;    // the first
  std::vector<TextRange> skipped;    // by #if and its kind
  std::vector<std::string> machine;  // uses of predefined macros: "__GFX9__=1"
  int assembly_line = 0;             // of the first `asm`; 0: none
};

class PreprocessWatch : public clang::PPCallbacks {
 public:
  PreprocessWatch(clang::Preprocessor& preprocessor, PreprocessFindings& findings)
      : preprocessor_(preprocessor), findings_(findings) {}

  void InclusionDirective(clang::SourceLocation hash, const clang::Token& token,
                          llvm::StringRef name, bool angled, clang::CharSourceRange range,
                          clang::OptionalFileEntryRef file, llvm::StringRef search_path,
                          llvm::StringRef relative_path, const clang::Module* suggested,
                          bool imported, clang::SrcMgr::CharacteristicKind type) override;
  void EmbedDirective(clang::SourceLocation hash, llvm::StringRef name, bool angled,
                      clang::OptionalFileEntryRef file,
                      const clang::LexEmbedParametersResult& parameters) override;
  void PragmaDebug(clang::SourceLocation location, llvm::StringRef type) override;
  void MacroExpands(const clang::Token& name, const clang::MacroDefinition& definition,
                    clang::SourceRange range, const clang::MacroArgs* arguments) override;
  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation endif) override;

 private:
  void refuse(OutcomeKind kind, clang::SourceLocation location, const std::string& reason);

  clang::Preprocessor& preprocessor_;
  PreprocessFindings& findings_;
};

// Enters, at the pragma in our own file, one declaration for each kernel expression, its
// tokens without macro expansion: the candidate's macros cannot reach them.
class InstantiatePragma : public clang::PragmaHandler {
 public:
  InstantiatePragma(std::vector<std::string> expressions, CandidateDiagnostics& diagnostics);
  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer introducer,
                    clang::Token& first) override;

 private:
  std::vector<std::string> expressions_;
  CandidateDiagnostics& diagnostics_;
};

// Hash of the text's tokens that the preprocessor let through, and of what the
// machine's own macros gave there.
std::string hash_tokens(const std::string& text, const PreprocessFindings& findings,
                        const clang::LangOptions& language);

// The text with these ranges as spaces; line breaks stay.
std::string blanked(std::string text, const std::vector<HostFunction>& functions);

// The offset behind the '}' that closes the first '{' at or after `begin`; the text's
// size when there is none.
std::size_t end_of_body(const std::string& text, std::size_t begin,
                        const std::vector<TextRange>& skipped, const clang::LangOptions& language);

}  // namespace kvgen
