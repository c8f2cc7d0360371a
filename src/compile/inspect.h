#pragma once

#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/MultiplexConsumer.h>

#include <string>
#include <vector>

#include "compile/preprocess.h"
#include "compile/unit.h"

namespace kvgen {

// What of a compile the inspection reads and fills.
struct InspectionJob {
  const CompileTarget& target;
  const std::string& text;
  const std::vector<std::string>& expressions;
  CandidateDiagnostics& diagnostics;
  PreprocessFindings& preprocess;
  UnitFindings& findings;
};

// Stands between the parser and code generation: looks at the candidate's declarations, marks
// __shared__ variables, finds the plan's kernels; lets code be generated only when nothing
// is refused.
class Inspector : public clang::MultiplexConsumer {
 public:
  Inspector(clang::CompilerInstance& instance, const clang::CodeGenAction& action,
            std::unique_ptr<clang::ASTConsumer> code_generation, InspectionJob job);

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override;
  void HandleTranslationUnit(clang::ASTContext& context) override;
  bool shouldSkipFunctionBody(clang::Decl* declaration) override;

 private:
  void visit_top_level(clang::Decl* declaration, clang::SourceLocation begin);
  void drop_host_function(const clang::FunctionDecl& function, clang::SourceLocation begin);
  void find_kernels();
  void refuse(OutcomeKind kind, int line, const std::string& reason);

  clang::CompilerInstance& instance_;
  const clang::CodeGenAction& action_;
  InspectionJob job_;
  std::vector<clang::Decl*> declarations_;                 // of the candidate, in its order
  std::vector<std::string> kernel_names_;                  // that the candidate defines
  std::vector<const clang::FunctionDecl*> plain_kernels_;  // not templates, in its order
  std::vector<const clang::FunctionDecl*> asked_;          // one for each expression, or null
};

}  // namespace kvgen
