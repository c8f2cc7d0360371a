#include "compile/inspect.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>

#include "compile/chosen.h"
#include "compile/module_check.h"
#include "compile/names.h"
#include "compile/signature.h"

namespace kvgen {
namespace {

bool is_host_only(const clang::FunctionDecl& function) {
  return !function.hasAttr<clang::CUDADeviceAttr>() && !function.hasAttr<clang::CUDAGlobalAttr>() &&
         !function.isConstexpr() && !function.isImplicit() && !function.isDefaulted() &&
         !function.isDeleted() && function.getDeclContext()->getRedeclContext()->isFileContext();
}

bool forbidden(const clang::Attr& attribute) {
  switch (attribute.getKind()) {
    case clang::attr::Section:
    case clang::attr::CodeSeg:
    case clang::attr::Alias:
    case clang::attr::IFunc:
    case clang::attr::WeakRef:
    case clang::attr::Constructor:
    case clang::attr::Destructor:
    case clang::attr::InitPriority:
    case clang::attr::AsmLabel:
    case clang::attr::Naked:
    case clang::attr::PragmaClangBSSSection:
    case clang::attr::PragmaClangDataSection:
    case clang::attr::PragmaClangRodataSection:
    case clang::attr::PragmaClangTextSection:
      return true;
    default:
      return false;
  }
}

// Walks the candidate's declarations once each.
class Walk : public clang::DynamicRecursiveASTVisitor {
 public:
  Walk(const clang::SourceManager& sources, std::string lds_section,
       std::vector<std::string>& names, std::vector<const clang::FunctionDecl*>& plain)
      : sources_(sources), lds_section_(std::move(lds_section)), names_(names), plain_(plain) {}

  bool VisitDecl(clang::Decl* declaration) override {
    for (const clang::Attr* attribute : declaration->attrs()) {
      if (attribute->isImplicit() && attribute->getKind() == clang::attr::Section) continue;
      if (forbidden(*attribute) && spelled_by_candidate(sources_, attribute->getLocation())) {
        refuse(std::string("the attribute \"") + attribute->getSpelling() + "\"", *declaration);
      }
    }
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) override {
    if (variable->hasAttr<clang::CUDASharedAttr>() && !lds_section_.empty() &&
        !variable->hasAttr<clang::SectionAttr>()) {
      variable->addAttr(
          clang::SectionAttr::CreateImplicit(variable->getASTContext(), lds_section_));
    }
    if (variable->hasAttr<clang::HIPManagedAttr>() && managed_.empty()) {
      managed_ = variable->getNameAsString();
      line_ = line_of(*variable);
    }
    return true;
  }
  bool VisitFileScopeAsmDecl(clang::FileScopeAsmDecl* assembly) override {
    refuse("assembly outside a function", *assembly);
    return true;
  }
  bool VisitGCCAsmStmt(clang::GCCAsmStmt* assembly) override {
    const std::string text = assembly->getAsmString();
    for (const char* directive : {".incbin", ".include"}) {
      if (text.find(directive) == std::string::npos || !refused_.empty()) continue;
      const auto place = candidate_place(sources_, assembly->getBeginLoc());
      refused_ = std::string(directive) + " in inline assembly";
      line_ = place ? place->line : 0;
    }
    return true;
  }
  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (!function->hasAttr<clang::CUDAGlobalAttr>()) return true;
    if (!candidate_place(sources_, function->getLocation())) return true;
    const std::string name = function->getQualifiedNameAsString();
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    if (!function->isTemplated() && !function->isTemplateInstantiation() &&
        function->doesThisDeclarationHaveABody()) {
      plain_.push_back(function);
    }
    return true;
  }

  [[nodiscard]] const std::string& refused() const { return refused_; }
  [[nodiscard]] const std::string& managed() const { return managed_; }
  [[nodiscard]] int line() const { return line_; }

 private:
  void refuse(std::string what, const clang::Decl& where) {
    if (!refused_.empty()) return;
    refused_ = std::move(what);
    line_ = line_of(where);
  }
  int line_of(const clang::Decl& declaration) const {
    const auto place = candidate_place(sources_, declaration.getLocation());
    return place ? place->line : 0;
  }

  const clang::SourceManager& sources_;
  std::string lds_section_;
  std::vector<std::string>& names_;
  std::vector<const clang::FunctionDecl*>& plain_;
  std::string refused_;
  std::string managed_;
  int line_ = 0;
};

// "; did you mean "row_max"?" or the kernels there are.
std::string nearest(const std::string& expression, const std::vector<std::string>& names) {
  if (names.empty()) return "; the source defines no __global__ function";
  const llvm::StringRef wanted = llvm::StringRef(expression).split('<').first.trim();
  const auto best = std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return wanted.edit_distance(a) < wanted.edit_distance(b);
  });
  if (wanted.edit_distance(*best) <= std::max<std::size_t>(2, wanted.size() / 3)) {
    return "; did you mean \"" + *best + "\"?";
  }
  std::string known;
  for (std::size_t i = 0; i < names.size() && i < 8; ++i) known += (i ? ", " : "") + names[i];
  return "; the source defines " + known;
}

const clang::FunctionDecl* function_in(const clang::VarDecl& variable) {
  const clang::Expr* value = variable.getInit();
  if (value == nullptr) return nullptr;
  value = value->IgnoreParenImpCasts();
  if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(value)) {
    value = address->getSubExpr()->IgnoreParenImpCasts();
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(value);
  return reference == nullptr ? nullptr : llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
}

}  // namespace

Inspector::Inspector(clang::CompilerInstance& instance, const clang::CodeGenAction& action,
                     std::unique_ptr<clang::ASTConsumer> code_generation, InspectionJob job)
    : MultiplexConsumer(std::move(code_generation)),
      instance_(instance),
      action_(action),
      job_(job),
      asked_(job.expressions.size(), nullptr) {}

void Inspector::refuse(OutcomeKind kind, int line, const std::string& reason) {
  if (job_.findings.refusal) return;
  Json detail = Json::object();
  if (line > 0) detail["line"] = line;
  job_.findings.refusal =
      Outcome{kind, Stage::kCompile,
              (line > 0 ? "line " + std::to_string(line) + ": " : "") + reason, std::move(detail)};
}

bool Inspector::shouldSkipFunctionBody(clang::Decl* declaration) {
  const clang::FunctionDecl* function = declaration->getAsFunction();
  return function != nullptr && is_host_only(*function) &&
         candidate_place(instance_.getSourceManager(), function->getLocation()).has_value();
}

void Inspector::drop_host_function(const clang::FunctionDecl& function,
                                   clang::SourceLocation begin) {
  const auto& sources = instance_.getSourceManager();
  if (!candidate_place(sources, function.getLocation())) return;
  const std::size_t name_at = sources.getFileOffset(sources.getFileLoc(function.getLocation()));
  const std::size_t begin_at = sources.getFileOffset(sources.getFileLoc(begin));
  job_.findings.host.push_back(
      {function.getQualifiedNameAsString(),
       {std::min(begin_at, name_at),
        end_of_body(job_.text, name_at, job_.preprocess.skipped, instance_.getLangOpts())}});
}

void Inspector::visit_top_level(clang::Decl* declaration, clang::SourceLocation begin) {
  if (const auto* linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(declaration)) {
    for (clang::Decl* inner : linkage->decls()) {
      visit_top_level(inner, linkage->hasBraces() ? inner->getBeginLoc() : begin);
    }
    return;
  }
  if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(declaration)) {
    for (clang::Decl* inner : space->decls()) visit_top_level(inner, inner->getBeginLoc());
    return;
  }
  const clang::FunctionDecl* function = declaration->getAsFunction();
  if (function == nullptr || function->isTemplateInstantiation() || !is_host_only(*function))
    return;
  if (function->doesThisDeclarationHaveABody() || function->hasSkippedBody()) {
    drop_host_function(*function, begin);
  }
}

bool Inspector::HandleTopLevelDecl(clang::DeclGroupRef group) {
  const auto& sources = instance_.getSourceManager();
  for (clang::Decl* declaration : group) {
    if (declaration->isFromASTFile()) continue;
    if (auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
        variable != nullptr && variable->getName().starts_with(llvm::StringRef(kKernelVariable)) &&
        !candidate_place(sources, variable->getLocation())) {
      std::size_t index = 0;
      const auto digits = variable->getName().drop_front(kKernelVariable.size());
      if (!digits.getAsInteger(10, index) && index < asked_.size()) {
        asked_[index] = function_in(*variable);
      }
      continue;
    }
    visit_top_level(declaration, declaration->getBeginLoc());
    declarations_.push_back(declaration);
    Walk walk(sources, job_.target.lds_section(), kernel_names_, plain_kernels_);
    walk.TraverseDecl(declaration);
    if (!walk.refused().empty()) {
      refuse(OutcomeKind::kCheating, walk.line(), walk.refused() + " is not for device code");
    }
    if (!walk.managed().empty()) {
      refuse(OutcomeKind::kBadPlan, walk.line(),
             "__managed__ variable \"" + walk.managed() +
                 "\": kernels keep no state of their own; "
                 "use a buffer of the plan");
    }
  }
  return MultiplexConsumer::HandleTopLevelDecl(group);
}

void Inspector::find_kernels() {
  const auto& sources = instance_.getSourceManager();
  std::vector<const clang::FunctionDecl*> kernels = asked_;
  std::vector<std::string> expressions = job_.expressions;
  if (expressions.empty()) {
    kernels = plain_kernels_;
    for (const auto* kernel : kernels) expressions.push_back(kernel->getQualifiedNameAsString());
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const clang::FunctionDecl* kernel = kernels[i];
    const std::string quoted = "kernel \"" + expressions[i] + "\": ";
    const auto& errors = job_.diagnostics.expression_errors();
    const auto said = errors.find(static_cast<int>(i));
    // A misspelt name has a kernel too: the one that Clang took it for.
    if (kernel == nullptr || said != errors.end()) {
      refuse(OutcomeKind::kBadPlan, 0,
             quoted + (said != errors.end() ? said->second : std::string("no such kernel")) +
                 nearest(expressions[i], kernel_names_));
      continue;
    }
    if (!kernel->hasAttr<clang::CUDAGlobalAttr>()) {
      refuse(OutcomeKind::kBadPlan, 0,
             quoted + "it is not a __global__ function" + nearest(expressions[i], kernel_names_));
      continue;
    }
    const clang::FunctionDecl* definition = kernel->getDefinition();
    if (definition == nullptr) definition = kernel->getTemplateInstantiationPattern();
    const auto place = candidate_place(sources, (definition ? definition : kernel)->getLocation());
    KernelInfo info;
    info.expression = expressions[i];
    info.line = place ? place->line : 0;
    info.launch_bound = launch_bound_of(*kernel);
    auto parameters = signature_of(*kernel);
    if (!parameters.ok()) {
      refuse(OutcomeKind::kBadPlan, info.line, quoted + parameters.error().message());
      continue;
    }
    info.parameters = std::move(*parameters);
    job_.findings.kernels.push_back(std::move(info));
  }
  asked_ = std::move(kernels);
}

void Inspector::HandleTranslationUnit(clang::ASTContext& context) {
  if (job_.preprocess.refusal) job_.findings.refusal = job_.preprocess.refusal;
  if (!job_.findings.host.empty() || job_.findings.refusal) return;
  const bool assembly = job_.preprocess.assembly_line > 0;
  if (assembly && !job_.target.judges_assembly()) {
    refuse(OutcomeKind::kNotJudgedHere, job_.preprocess.assembly_line,
           "inline assembly cannot be judged on " + job_.target.name());
    return;
  }
  if (!job_.diagnostics.first_error().empty()) return;
  if (!assembly) {
    job_.preprocess.machine.push_back(
        "chosen=" + hash_of_choices(context, instance_.getSourceManager(), declarations_));
  }
  find_kernels();
  if (job_.findings.refusal || instance_.getDiagnostics().hasErrorOccurred()) return;
  MultiplexConsumer::HandleTranslationUnit(context);
  if (instance_.getDiagnostics().hasErrorOccurred()) return;
  check_module(*action_.getCodeGenerator(), instance_.getSourceManager(), asked_, job_);
}

}  // namespace kvgen
