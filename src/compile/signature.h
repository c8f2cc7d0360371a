#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <string>

#include "kvgen/base/result.h"
#include "kvgen/model/build.h"

namespace kvgen {

// What a launch must give a kernel. The Error's message says which parameter cannot be given by
// a plan and why; it is the candidate's fault (bad_plan), worded for its author.
Result<std::vector<KernelParameter>> signature_of(const clang::FunctionDecl& kernel);

// __launch_bounds__' first argument; 0 without.
int launch_bound_of(const clang::FunctionDecl& kernel);

}  // namespace kvgen
