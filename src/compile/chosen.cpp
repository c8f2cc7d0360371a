#include "compile/chosen.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/Support/raw_ostream.h>

#include "compile/diagnostics.h"
#include "kvgen/base/hash.h"

namespace kvgen {
namespace {

constexpr std::size_t kRemembered = 4U << 20;

class Choices : public clang::DynamicRecursiveASTVisitor {
 public:
  Choices(clang::ASTContext& context, const clang::SourceManager& sources)
      : context_(context), sources_(sources) {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitImplicitCode = false;
  }

  bool VisitUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr* expression) override {
    return note_value(*expression);
  }
  bool VisitCXXNoexceptExpr(clang::CXXNoexceptExpr* expression) override {
    return note_value(*expression);
  }
  bool VisitTypeTraitExpr(clang::TypeTraitExpr* expression) override {
    return note_value(*expression);
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) override {
    const clang::ValueDecl* declared = reference->getDecl();
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared)) {
      return variable->isConstexpr() || variable->getType().isConstQualified()
                 ? note_value(*reference)
                 : true;
    }
    if (llvm::isa<clang::EnumConstantDecl>(declared)) return note_value(*reference);
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declared);
    if (function == nullptr || !spelled_by_candidate(sources_, reference->getLocation()) ||
        !candidate_place(sources_, function->getLocation())) {
      return true;
    }
    llvm::raw_string_ostream stream(seen_);
    function->getNameForDiagnostic(stream, context_.getPrintingPolicy(), /*Qualified=*/true);
    stream << ' '
           << function->getType().getCanonicalType().getAsString(context_.getPrintingPolicy())
           << '\n';
    return seen_.size() < kRemembered;
  }
  bool VisitIfStmt(clang::IfStmt* statement) override {
    return statement->isConstexpr() ? note_value(*statement->getCond()) : true;
  }

  [[nodiscard]] const std::string& seen() const { return seen_; }

 private:
  bool note_value(const clang::Expr& expression) {
    if (expression.isValueDependent() || expression.isTypeDependent() ||
        !spelled_by_candidate(sources_, expression.getExprLoc()) ||
        !expression.getType()->isIntegralOrEnumerationType()) {
      return true;
    }
    if (const auto value = expression.getIntegerConstantExpr(context_)) {
      seen_ += std::to_string(value->getExtValue()) + '\n';
    }
    return seen_.size() < kRemembered;
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  std::string seen_;
};

}  // namespace

std::string hash_of_choices(clang::ASTContext& context, const clang::SourceManager& sources,
                            const std::vector<clang::Decl*>& declarations) {
  Choices choices(context, sources);
  for (clang::Decl* declaration : declarations) {
    if (!choices.TraverseDecl(declaration)) break;
  }
  return sha256(choices.seen());
}

}  // namespace kvgen
