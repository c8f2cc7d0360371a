#include "compile/float_atomics.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace kvgen {
namespace {

constexpr unsigned kOperandsFollowed = 256;

// Whether a value is computed by floating-point arithmetic, seen through what packs and chooses.
bool is_computed_in_floating_point(const llvm::Value* value) {
  llvm::SmallPtrSet<const llvm::Value*, 32> seen;
  llvm::SmallVector<const llvm::Value*, 32> open = {value};
  while (!open.empty() && seen.size() < kOperandsFollowed) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(open.pop_back_val());
    if (instruction == nullptr || !seen.insert(instruction).second) continue;
    if (instruction->isBinaryOp() && instruction->getType()->isFPOrFPVectorTy()) return true;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(instruction);
    if (call != nullptr && instruction->getType()->isFPOrFPVectorTy()) return true;
    if (instruction->mayReadFromMemory()) continue;
    for (const llvm::Use& operand : instruction->operands()) open.push_back(operand.get());
  }
  return false;
}

// A thread's own variable, which no other thread can add to.
bool is_private(const llvm::Value* pointer) {
  return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
}

bool is_float_atomic(const llvm::Instruction& instruction) {
  if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    return atomic->isFloatingPointOperation() && !is_private(atomic->getPointerOperand());
  }
  const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
  return swap != nullptr && !is_private(swap->getPointerOperand()) &&
         is_computed_in_floating_point(swap->getNewValOperand());
}

bool reaches_float_atomic(const llvm::Function& kernel) {
  llvm::SmallPtrSet<const llvm::Function*, 16> seen = {&kernel};
  llvm::SmallVector<const llvm::Function*, 16> open = {&kernel};
  while (!open.empty()) {
    for (const llvm::Instruction& instruction : llvm::instructions(*open.pop_back_val())) {
      if (is_float_atomic(instruction)) return true;
      for (const llvm::Use& operand : instruction.operands()) {
        const auto* called = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts());
        if (called != nullptr && seen.insert(called).second) open.push_back(called);
      }
    }
  }
  return false;
}

}  // namespace

void find_float_atomics(const llvm::Module& module, std::vector<KernelInfo>& kernels) {
  for (KernelInfo& kernel : kernels) {
    kernel.float_atomics = false;
    for (const llvm::Function& function : module) {
      // Inlined on the cpu device, the kernel lives on in entries called PREFIX.SYMBOL.
      const llvm::StringRef name = function.getName();
      const bool is_kernel = name == kernel.symbol || name.ends_with("." + kernel.symbol);
      if (is_kernel && reaches_float_atomic(function)) kernel.float_atomics = true;
    }
  }
}

}  // namespace kvgen
