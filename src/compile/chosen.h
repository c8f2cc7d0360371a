#pragma once

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>

#include <string>
#include <vector>

namespace kvgen {

// Hash of what the candidate's declarations make of its types: the values of sizeof, alignof,
// noexcept, traits, constants and `if constexpr` conditions written in it, and the candidate's
// functions that its calls choose, instances of templates included.
//
// One text gives one hash on every target unless it asks for the target by a type: the size of
// __builtin_va_list, whether a builtin may throw, which overload a builtin's type chooses.
std::string hash_of_choices(clang::ASTContext& context, const clang::SourceManager& sources,
                            const std::vector<clang::Decl*>& declarations);

}  // namespace kvgen
