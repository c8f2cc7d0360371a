#include "compile/module_check.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Module.h>

#include <map>

namespace kvgen {
namespace {

class ModuleCheck {
 public:
  ModuleCheck(clang::CodeGenerator& generator, const clang::SourceManager& sources,
              InspectionJob& job)
      : generator_(generator), sources_(sources), job_(job), module_(*generator.GetModule()) {}

  void name_kernels(const std::vector<const clang::FunctionDecl*>& kernels) {
    std::map<const clang::Decl*, llvm::Function*> emitted;
    for (llvm::Function& function : module_) {
      if (function.isDeclaration()) continue;
      if (const auto* declared = generator_.GetDeclForMangledName(function.getName())) {
        emitted[declared->getCanonicalDecl()] = &function;
      }
    }
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      KernelInfo& info = job_.findings.kernels[i];
      const auto found = emitted.find(kernels[i]->getCanonicalDecl());
      if (found == emitted.end()) {
        refuse(OutcomeKind::kBadPlan, kernels[i],
               "kernel \"" + info.expression + "\" is declared but never defined");
        continue;
      }
      info.symbol = found->second->getName().str();
      bound_workgroup(*kernels[i], *found->second);
    }
  }

  void check_globals() {
    for (const llvm::GlobalVariable& global : module_.globals()) {
      const auto* declared = llvm::dyn_cast_or_null<clang::VarDecl>(
          generator_.GetDeclForMangledName(global.getName()));
      if (declared == nullptr) continue;
      if (!candidate_place(sources_, declared->getLocation())) continue;
      if (declared->hasAttr<clang::CUDASharedAttr>()) continue;
      const std::string name = '"' + declared->getNameAsString() + '"';
      if (global.isDeclaration()) {
        if (!global.use_empty()) {
          refuse(OutcomeKind::kCompileError, declared,
                 "variable " + name + " is declared but nobody defines it");
        }
        continue;
      }
      if (declared->hasAttr<clang::CUDAConstantAttr>()) {
        if (declared->hasInit()) continue;
        refuse(OutcomeKind::kBadPlan, declared,
               "__constant__ variable " + name +
                   " has no value and no host code runs to set it; pass a buffer");
        continue;
      }
      if (global.isConstant() || declared->getType().isConstQualified()) continue;
      refuse(OutcomeKind::kBadPlan, declared,
             (declared->isStaticLocal() ? "static variable " : "writable device variable ") + name +
                 ": kernels keep no state of their own; use a buffer of the plan");
    }
  }

  void check_functions() {
    for (const llvm::Function& function : module_) {
      if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty()) continue;
      if (job_.target.imports(std::string_view(function.getName()))) continue;
      refuse(OutcomeKind::kCompileError, generator_.GetDeclForMangledName(function.getName()),
             "function \"" + llvm::demangle(function.getName().str()) +
                 "\" is declared but nobody defines it");
    }
  }

 private:
  // What HIP's own headers make of __launch_bounds__.
  void bound_workgroup(const clang::FunctionDecl& kernel, llvm::Function& function) {
    const auto* bounds = kernel.getAttr<clang::CUDALaunchBoundsAttr>();
    if (bounds == nullptr || !module_.getTargetTriple().isAMDGCN()) return;
    const auto number = [&](const clang::Expr* value) {
      const auto known =
          value == nullptr ? std::nullopt : value->getIntegerConstantExpr(kernel.getASTContext());
      return known ? known->getLimitedValue(1024) : 0;
    };
    if (const auto threads = number(bounds->getMaxThreads())) {
      function.addFnAttr("amdgpu-flat-work-group-size", "1," + std::to_string(threads));
    }
    if (const auto waves = number(bounds->getMinBlocks())) {
      function.addFnAttr("amdgpu-waves-per-eu", std::to_string(waves));
    }
  }

  void refuse(OutcomeKind kind, const clang::Decl* where, const std::string& reason) {
    if (job_.findings.refusal) return;
    const auto place =
        where == nullptr ? std::nullopt : candidate_place(sources_, where->getLocation());
    Outcome outcome{kind, Stage::kCompile, reason, Json::object()};
    if (place) {
      outcome.reason = "line " + std::to_string(place->line) + ": " + reason;
      outcome.detail["line"] = place->line;
    }
    job_.findings.refusal = std::move(outcome);
  }

  clang::CodeGenerator& generator_;
  const clang::SourceManager& sources_;
  InspectionJob& job_;
  llvm::Module& module_;
};

}  // namespace

void check_module(clang::CodeGenerator& generator, const clang::SourceManager& sources,
                  const std::vector<const clang::FunctionDecl*>& kernels, InspectionJob& job) {
  ModuleCheck check(generator, sources, job);
  check.name_kernels(kernels);
  check.check_globals();
  check.check_functions();
}

}  // namespace kvgen
