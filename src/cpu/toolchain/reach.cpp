#include "cpu/toolchain/reach.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace kvgen {
namespace {

void mentioned(const llvm::Constant& constant, Reach& reach,
               llvm::SetVector<const llvm::Constant*>& seen) {
  if (!seen.insert(&constant)) return;
  if (const auto* function = llvm::dyn_cast<llvm::Function>(&constant)) {
    reach.functions.insert(function);
    return;
  }
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant)) {
    reach.variables.insert(variable);
  }
  for (const llvm::Use& operand : constant.operands()) {
    if (const auto* inner = llvm::dyn_cast<llvm::Constant>(operand)) {
      mentioned(*inner, reach, seen);
    }
  }
}

}  // namespace

Reach reach_of(const llvm::Function& function) {
  Reach reach;
  llvm::SetVector<const llvm::Constant*> seen;
  reach.functions.insert(&function);
  for (std::size_t next = 0; next < reach.functions.size(); ++next) {
    for (const llvm::Instruction& instruction : llvm::instructions(*reach.functions[next])) {
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (call->isIndirectCall()) reach.indirect_calls = true;
      }
      for (const llvm::Use& operand : instruction.operands()) {
        if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand)) {
          mentioned(*constant, reach, seen);
        }
      }
    }
  }
  return reach;
}

}  // namespace kvgen
