#include "cpu/toolchain/entry.h"

namespace kvgen {

llvm::Function* new_entry(llvm::Module& module, const llvm::Function& kernel,
                          const std::string& name) {
  llvm::LLVMContext& context = module.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {llvm::PointerType::getUnqual(context)}, false);
  auto* entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, &module);
  entry->setAttributes(
      llvm::AttributeList::get(context, llvm::AttributeList::FunctionIndex,
                               llvm::AttrBuilder(context, kernel.getAttributes().getFnAttrs())));
  entry->removeFnAttr(llvm::Attribute::AlwaysInline);
  return entry;
}

std::vector<llvm::Value*> load_arguments(llvm::IRBuilder<>& builder, const llvm::Function& kernel,
                                         llvm::Value& slots) {
  std::vector<llvm::Value*> arguments;
  unsigned slot = 0;
  for (const llvm::Argument& parameter : kernel.args()) {
    llvm::Value* place = builder.CreateConstGEP1_64(builder.getInt64Ty(), &slots, slot++);
    arguments.push_back(parameter.hasByValAttr() ? place
                                                 : builder.CreateAlignedLoad(
                                                       parameter.getType(), place, llvm::Align(8)));
  }
  return arguments;
}

llvm::CallInst* call_kernel(llvm::IRBuilder<>& builder, llvm::Function& kernel,
                            const std::vector<llvm::Value*>& arguments) {
  llvm::CallInst* call = builder.CreateCall(&kernel, arguments);
  call->setCallingConv(kernel.getCallingConv());
  call->setAttributes(kernel.getAttributes().removeFnAttributes(kernel.getContext()));
  return call;
}

}  // namespace kvgen
