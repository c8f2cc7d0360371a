#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace kvgen {

// An exported, empty `void name(const kvgen_cpu_slot*)` compiled like the kernel.
llvm::Function* new_entry(llvm::Module& module, const llvm::Function& kernel,
                          const std::string& name);

// The kernel's arguments, one from each slot.
std::vector<llvm::Value*> load_arguments(llvm::IRBuilder<>& builder, const llvm::Function& kernel,
                                         llvm::Value& slots);

llvm::CallInst* call_kernel(llvm::IRBuilder<>& builder, llvm::Function& kernel,
                            const std::vector<llvm::Value*>& arguments);

}  // namespace kvgen
