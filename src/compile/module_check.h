#pragma once

#include <clang/CodeGen/ModuleBuilder.h>

#include <vector>

#include "compile/inspect.h"

namespace clang {
class FunctionDecl;
}

namespace kvgen {

// After code generation, before optimisation: gives each kernel its symbol and whether it
// reaches a floating-point atomic; refuses writable globals and functions nobody
// defines. `kernels[i]` belongs to `job.findings.kernels[i]`.
void check_module(clang::CodeGenerator& generator, const clang::SourceManager& sources,
                  const std::vector<const clang::FunctionDecl*>& kernels, InspectionJob& job);

}  // namespace kvgen
