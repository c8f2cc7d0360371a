#include "cpu/toolchain/lower.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <vector>

#include "cpu/toolchain/entry.h"
#include "cpu/toolchain/loop.h"
#include "cpu/toolchain/reach.h"
#include "kvgen/cpu/abi.h"

namespace kvgen {
namespace {

constexpr const char* kContext = "kvgen_cpu_current";
constexpr const char* kDynamicLds = "kvgen_cpu_dynamic_lds";
constexpr std::uint64_t kDynamicAlign = 16;

class Lowering {
 public:
  Lowering(llvm::Module& module, unsigned isa)
      : module_(module), context_(module.getContext()), isa_(isa) {}

  // The runtime sets the context: it is there even when no kernel asks for it.
  void define_context() {
    llvm::GlobalVariable* variable = module_.getGlobalVariable(kContext, true);
    if (variable == nullptr) {
      auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context_), sizeof(kvgen_cpu_context));
      variable = new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::ExternalLinkage,
                                          nullptr, kContext);
      variable->setAlignment(llvm::Align(16));
    }
    variable->setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
    variable->setDSOLocal(true);
    variable->setInitializer(llvm::Constant::getNullValue(variable->getValueType()));
    variable->setExternallyInitialized(true);
  }

  void place_lds() {
    std::vector<llvm::GlobalVariable*> dynamic;
    for (llvm::GlobalVariable& variable : module_.globals()) {
      if (variable.getSection() != KVGEN_CPU_LDS_SECTION) continue;
      if (variable.isDeclaration()) {
        dynamic.push_back(&variable);
        continue;
      }
      // Barriers change it behind the optimiser's back, so it must not look private.
      variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
      variable.setVisibility(llvm::GlobalValue::HiddenVisibility);
      variable.setDSOLocal(true);
      variable.setComdat(nullptr);
      variable.setConstant(false);
      variable.setInitializer(llvm::Constant::getNullValue(variable.getValueType()));
    }
    if (dynamic.empty()) return;
    auto* shared =
        new llvm::GlobalVariable(module_, llvm::ArrayType::get(llvm::Type::getInt8Ty(context_), 0),
                                 false, llvm::GlobalValue::ExternalLinkage, nullptr, kDynamicLds);
    shared->setAlignment(llvm::Align(kDynamicAlign));
    for (llvm::GlobalVariable* variable : dynamic) {
      variable->replaceAllUsesWith(shared);
      variable->eraseFromParent();
    }
  }

  void measure_lds(KernelInfo& kernel) {
    const llvm::Function* function = module_.getFunction(kernel.symbol);
    if (function == nullptr) return;
    const Reach reach = reach_of(*function);
    std::uint64_t bytes = 0;
    for (const llvm::GlobalVariable* variable : reach.variables) {
      if (variable->getSection() != KVGEN_CPU_LDS_SECTION) continue;
      const std::uint64_t align = variable->getAlign().valueOrOne().value();
      bytes = (bytes + align - 1) / align * align;
      bytes += module_.getDataLayout().getTypeAllocSize(variable->getValueType());
    }
    kernel.static_lds = static_cast<int>(std::min<std::uint64_t>(bytes, 1U << 30));
  }

  // void kvgen_entry.S(const kvgen_cpu_slot*): argument i from slot i.
  void add_entry(const KernelInfo& kernel) {
    const std::string name = KVGEN_CPU_ENTRY_PREFIX + kernel.symbol;
    llvm::Function* function = module_.getFunction(kernel.symbol);
    if (function == nullptr || module_.getFunction(name) != nullptr) return;
    llvm::Function* entry = new_entry(module_, *function, name);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context_, "entry", entry));
    call_kernel(builder, *function, load_arguments(builder, *function, *entry->getArg(0)));
    builder.CreateRetVoid();
  }

  void hide_kernel(const KernelInfo& kernel) {
    llvm::Function* function = module_.getFunction(kernel.symbol);
    if (function == nullptr || function->hasLocalLinkage()) return;
    function->setComdat(nullptr);
    function->setVisibility(llvm::GlobalValue::DefaultVisibility);
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
  }

  void describe_object() {
    auto* pointer = llvm::PointerType::getUnqual(context_);
    auto* number = llvm::Type::getInt32Ty(context_);
    const auto bound = [&](const char* name) {
      auto* variable = new llvm::GlobalVariable(
          module_, llvm::ArrayType::get(llvm::Type::getInt8Ty(context_), 0), false,
          llvm::GlobalValue::ExternalWeakLinkage, nullptr, name);
      variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
      variable->setDSOLocal(true);
      return variable;
    };
    auto* type = llvm::StructType::get(number, number, number, number, pointer, pointer, pointer);
    llvm::Constant* values = llvm::ConstantStruct::get(
        type, {llvm::ConstantInt::get(number, KVGEN_CPU_MAGIC),
               llvm::ConstantInt::get(number, KVGEN_CPU_ABI_VERSION),
               llvm::ConstantInt::get(number, isa_), llvm::ConstantInt::get(number, 0),
               module_.getGlobalVariable(kContext, true), bound("__start_" KVGEN_CPU_LDS_SECTION),
               bound("__stop_" KVGEN_CPU_LDS_SECTION)});
    auto* info =
        new llvm::GlobalVariable(module_, type, /*isConstant=*/true,
                                 llvm::GlobalValue::ExternalLinkage, values, "kvgen_cpu_object");
    info->setAlignment(llvm::Align(8));
  }

 private:
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  unsigned isa_;
};

}  // namespace

void lower_for_cpu(llvm::Module& module, unsigned isa, std::vector<KernelInfo>& kernels) {
  Lowering lowering(module, isa);
  lowering.define_context();
  lowering.place_lds();
  for (KernelInfo& kernel : kernels) {
    lowering.measure_lds(kernel);
    lowering.add_entry(kernel);
    add_loop(module, kernel.symbol);
  }
  for (const KernelInfo& kernel : kernels) lowering.hide_kernel(kernel);
  lowering.describe_object();
}

}  // namespace kvgen
