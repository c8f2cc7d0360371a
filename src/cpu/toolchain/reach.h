#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

namespace kvgen {

// What a function can touch: itself and what it calls or mentions, through constants too.
struct Reach {
  llvm::SetVector<const llvm::Function*> functions;
  llvm::SetVector<const llvm::GlobalVariable*> variables;
  bool indirect_calls = false;
};

Reach reach_of(const llvm::Function& function);

}  // namespace kvgen
