#include "compile/preprocess.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <functional>

#include "compile/names.h"
#include "kvgen/base/hash.h"

namespace kvgen {
namespace {

// Calls `see` for each raw token outside the skipped ranges until it says false.
void each_token(const std::string& text, const std::vector<TextRange>& skipped,
                const clang::LangOptions& language,
                const std::function<bool(std::size_t, std::size_t, clang::tok::TokenKind)>& see) {
  clang::Lexer lexer(clang::SourceLocation(), language, text.data(), text.data(),
                     text.data() + text.size());
  clang::Token token;
  auto range = skipped.begin();  // in the text's order, like the tokens
  while (!lexer.LexFromRawLexer(token)) {
    const std::size_t end = lexer.getBufferLocation() - text.data();
    const std::size_t begin = end - token.getLength();
    while (range != skipped.end() && range->end <= begin) ++range;
    if (range != skipped.end() && begin >= range->begin) continue;
    if (!see(begin, token.getLength(), token.getKind())) return;
  }
}

}  // namespace

void PreprocessWatch::refuse(OutcomeKind kind, clang::SourceLocation location,
                             const std::string& reason) {
  const auto place = candidate_place(preprocessor_.getSourceManager(), location);
  if (!place || findings_.refusal) return;
  findings_.refusal = Outcome{kind,
                              Stage::kCompile,
                              "line " + std::to_string(place->line) + ": " + reason,
                              {{"line", place->line}, {"column", place->column}}};
}

void PreprocessWatch::InclusionDirective(clang::SourceLocation hash, const clang::Token&,
                                         llvm::StringRef name, bool, clang::CharSourceRange,
                                         clang::OptionalFileEntryRef file, llvm::StringRef,
                                         llvm::StringRef, const clang::Module*, bool,
                                         clang::SrcMgr::CharacteristicKind) {
  if (file && file->getName().starts_with(llvm::StringRef(kHeaderFolder))) return;
  refuse(OutcomeKind::kCompileError, hash,
         "#include of \"" + name.substr(0, 200).str() +
             "\": device code compiles without any file of the machine; the HIP headers and "
             "<cmath>, <cstdint>, <limits>, ... are there already");
}

void PreprocessWatch::EmbedDirective(clang::SourceLocation hash, llvm::StringRef, bool,
                                     clang::OptionalFileEntryRef,
                                     const clang::LexEmbedParametersResult&) {
  refuse(OutcomeKind::kCheating, hash, "#embed of a file");
}

void PreprocessWatch::PragmaDebug(clang::SourceLocation location, llvm::StringRef type) {
  refuse(OutcomeKind::kCompileError, location, "#pragma clang __debug " + type.str());
}

void PreprocessWatch::MacroExpands(const clang::Token& name,
                                   const clang::MacroDefinition& definition,
                                   clang::SourceRange range, const clang::MacroArgs*) {
  const auto& sources = preprocessor_.getSourceManager();
  if (!candidate_place(sources, range.getBegin())) return;
  const llvm::StringRef macro = name.getIdentifierInfo()->getName();
  if (macro == "__TIME__" || macro == "__DATE__" || macro == "__TIMESTAMP__" ||
      macro == "__COUNTER__") {
    if (!spelled_by_candidate(sources, name.getLocation())) return;
    refuse(OutcomeKind::kCompileError, range.getBegin(),
           macro.str() + " makes the same text mean different things");
    return;
  }
  const clang::MacroInfo* info = definition.getMacroInfo();
  if (info == nullptr) return;
  if (info->isBuiltinMacro()) {
    // In a directive its effect shows in what is skipped; in an expression it would not show.
    const bool asks_for_the_target =
        macro.starts_with("__has_") || macro.starts_with("__is_target_");
    if (asks_for_the_target && !preprocessor_.isParsingIfOrElifDirective() &&
        spelled_by_candidate(sources, name.getLocation())) {
      refuse(
          OutcomeKind::kCheating, range.getBegin(),
          macro.str() + " in an expression makes the same text another kernel on another target");
    }
    return;
  }
  if (!sources.isWrittenInBuiltinFile(info->getDefinitionLoc()) &&
      !sources.isWrittenInCommandLineFile(info->getDefinitionLoc())) {
    return;
  }
  std::string use = macro.str() + "=";
  for (const clang::Token& token : info->tokens()) use += preprocessor_.getSpelling(token) + " ";
  if (findings_.machine.size() < 100'000) findings_.machine.push_back(std::move(use));
}

void PreprocessWatch::SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) {
  const auto& sources = preprocessor_.getSourceManager();
  if (!candidate_place(sources, range.getBegin())) return;
  findings_.skipped.push_back(
      {sources.getFileOffset(range.getBegin()), sources.getFileOffset(range.getEnd())});
}

InstantiatePragma::InstantiatePragma(std::vector<std::string> expressions,
                                     CandidateDiagnostics& diagnostics)
    : PragmaHandler(llvm::StringRef(kInstantiatePragma)),
      expressions_(std::move(expressions)),
      diagnostics_(diagnostics) {}

void InstantiatePragma::HandlePragma(clang::Preprocessor& preprocessor,
                                     clang::PragmaIntroducer introducer, clang::Token& first) {
  auto& sources = preprocessor.getSourceManager();
  if (sources.getFileID(introducer.Loc) != sources.getMainFileID()) return;
  while (first.isNot(clang::tok::eod)) preprocessor.LexUnexpandedToken(first);

  std::vector<clang::Token> tokens;
  for (std::size_t i = 0; i < expressions_.size(); ++i) {
    const std::string text = "constexpr auto* " + std::string(kKernelVariable) + std::to_string(i) +
                             " = &" + expressions_[i] + " ;";
    const clang::FileID file = sources.createFileID(
        llvm::MemoryBuffer::getMemBufferCopy(text, "plan"), clang::SrcMgr::C_User);
    diagnostics_.own_expression(file, static_cast<int>(i));
    clang::Lexer lexer(file, sources.getBufferOrFake(file), sources, preprocessor.getLangOpts());
    clang::Token token;
    while (true) {
      const bool last = lexer.LexFromRawLexer(token);
      if (token.is(clang::tok::eof)) break;
      if (token.is(clang::tok::raw_identifier)) preprocessor.LookUpIdentifierInfo(token);
      tokens.push_back(token);
      if (last) break;
    }
  }
  if (tokens.empty()) return;
  auto array = std::make_unique<clang::Token[]>(tokens.size());
  std::copy(tokens.begin(), tokens.end(), array.get());
  preprocessor.EnterTokenStream(std::move(array), static_cast<unsigned>(tokens.size()),
                                /*DisableMacroExpansion=*/true, /*IsReinject=*/false);
}

std::string hash_tokens(const std::string& text, const PreprocessFindings& findings,
                        const clang::LangOptions& language) {
  std::string seen;
  each_token(text, findings.skipped, language,
             [&](std::size_t begin, std::size_t size, clang::tok::TokenKind) {
               seen.append(text, begin, size);
               seen += '\0';
               return true;
             });
  for (const std::string& use : findings.machine) seen += use + '\0';
  return sha256(seen);
}

std::string blanked(std::string text, const std::vector<HostFunction>& functions) {
  for (const HostFunction& function : functions) {
    for (std::size_t i = function.range.begin; i < function.range.end && i < text.size(); ++i) {
      if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
    }
  }
  return text;
}

std::size_t end_of_body(const std::string& text, std::size_t begin,
                        const std::vector<TextRange>& skipped, const clang::LangOptions& language) {
  std::size_t end = text.size();
  int depth = 0;
  each_token(text, skipped, language,
             [&](std::size_t at, std::size_t size, clang::tok::TokenKind kind) {
               if (at < begin) return true;
               if (kind == clang::tok::l_brace) ++depth;
               if (kind == clang::tok::r_brace && --depth == 0) {
                 end = at + size;
                 return false;
               }
               return true;
             });
  return end;
}

}  // namespace kvgen
