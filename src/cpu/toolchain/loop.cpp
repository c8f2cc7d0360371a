#include "cpu/toolchain/loop.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstddef>
#include <vector>

#include "cpu/toolchain/entry.h"
#include "cpu/toolchain/reach.h"
#include "kvgen/cpu/abi.h"

namespace kvgen {
namespace {

constexpr int kInlinedCalls = 2000;
constexpr unsigned kLargestBody = 50'000;  // instructions

bool waits(llvm::StringRef name) {
  return name.starts_with("kvgen_cpu_") && name != "kvgen_cpu_printf" && name != "kvgen_cpu_trap" &&
         name != "kvgen_cpu_assert_fail" && name != "kvgen_cpu_clock";
}

bool may_loop(const llvm::Function& kernel) {
  const Reach reach = reach_of(kernel);
  if (reach.indirect_calls) return false;
  for (const llvm::Function* function : reach.functions) {
    if (function->isDeclaration() && waits(function->getName())) return false;
  }
  return true;
}

llvm::CallBase* call_to_inline(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) continue;
    const llvm::Function* called = call->getCalledFunction();
    if (called != nullptr && !called->isDeclaration()) return call;
  }
  return nullptr;
}

// The whole kernel in one function; false when it recurses or is too large.
bool inline_everything(llvm::Function& function) {
  for (int done = 0; done < kInlinedCalls; ++done) {
    llvm::CallBase* call = call_to_inline(function);
    if (call == nullptr) return true;
    if (function.getInstructionCount() > kLargestBody) return false;
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*call, info).isSuccess()) return false;
  }
  return false;
}

class LoopBuilder {
 public:
  LoopBuilder(llvm::Function& loop, llvm::Function& kernel, llvm::GlobalVariable& context)
      : loop_(loop),
        kernel_(kernel),
        context_(context),
        builder_(llvm::BasicBlock::Create(loop.getContext(), "entry", &loop)) {}

  // Gives the local copy of the context that stands for the global one.
  llvm::AllocaInst* build() {
    auto* bytes = llvm::ArrayType::get(builder_.getInt8Ty(), sizeof(kvgen_cpu_context));
    local_ = builder_.CreateAlloca(bytes);
    local_->setAlignment(llvm::Align(16));
    builder_.CreateMemCpy(local_, llvm::Align(16), &context_, context_.getAlign(),
                          sizeof(kvgen_cpu_context));
    const auto arguments = load_arguments(builder_, kernel_, *loop_.getArg(0));
    llvm::Value* width = dimension(0);
    llvm::Value* height = dimension(1);

    const Level z = open(dimension(2));
    const Level y = open(height);
    llvm::Value* row =
        builder_.CreateMul(width, builder_.CreateAdd(y.index, builder_.CreateMul(height, z.index)));
    const Level x = open(width);
    set(offsetof(kvgen_cpu_context, thread_idx.x), x.index);
    set(offsetof(kvgen_cpu_context, thread_idx.y), y.index);
    set(offsetof(kvgen_cpu_context, thread_idx.z), z.index);
    llvm::Value* linear = builder_.CreateAdd(row, x.index);
    set(offsetof(kvgen_cpu_context, linear), linear);
    set(offsetof(kvgen_cpu_context, lane), builder_.CreateAnd(linear, KVGEN_CPU_WAVE - 1));
    call_kernel(builder_, kernel_, arguments);
    close(x);
    close(y);
    close(z);
    builder_.CreateRetVoid();
    return local_;
  }

 private:
  struct Level {
    llvm::BasicBlock* body = nullptr;
    llvm::PHINode* index = nullptr;
    llvm::Value* bound = nullptr;
  };

  llvm::Value* field(std::size_t offset) {
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), local_, offset);
  }
  llvm::Value* dimension(std::size_t axis) {
    return builder_.CreateLoad(builder_.getInt32Ty(),
                               field(offsetof(kvgen_cpu_context, block_dim) + 4 * axis));
  }
  void set(std::size_t offset, llvm::Value* value) { builder_.CreateStore(value, field(offset)); }

  // A block has at least one thread along each axis.
  Level open(llvm::Value* bound) {
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    Level level;
    level.bound = bound;
    level.body = llvm::BasicBlock::Create(loop_.getContext(), "", &loop_);
    builder_.CreateBr(level.body);
    builder_.SetInsertPoint(level.body);
    level.index = builder_.CreatePHI(builder_.getInt32Ty(), 2);
    level.index->addIncoming(builder_.getInt32(0), before);
    return level;
  }
  void close(const Level& level) {
    llvm::Value* next = builder_.CreateAdd(level.index, builder_.getInt32(1), "", true, true);
    level.index->addIncoming(next, builder_.GetInsertBlock());
    auto* after = llvm::BasicBlock::Create(loop_.getContext(), "", &loop_);
    builder_.CreateCondBr(builder_.CreateICmpULT(next, level.bound), level.body, after);
    builder_.SetInsertPoint(after);
  }

  llvm::Function& loop_;
  llvm::Function& kernel_;
  llvm::GlobalVariable& context_;
  llvm::IRBuilder<> builder_;
  llvm::AllocaInst* local_ = nullptr;
};

}  // namespace

void add_loop(llvm::Module& module, const std::string& symbol) {
  llvm::Function* kernel = module.getFunction(symbol);
  llvm::GlobalVariable* context = module.getGlobalVariable("kvgen_cpu_current", true);
  const std::string name = KVGEN_CPU_LOOP_PREFIX + symbol;
  if (kernel == nullptr || context == nullptr || module.getFunction(name) != nullptr) return;
  if (!may_loop(*kernel)) return;
  llvm::Function* loop = new_entry(module, *kernel, name);
  llvm::AllocaInst* local = LoopBuilder(*loop, *kernel, *context).build();
  if (!inline_everything(*loop)) {
    loop->eraseFromParent();
    return;
  }
  llvm::convertUsersOfConstantsToInstructions({context}, loop);
  std::vector<llvm::Use*> uses;
  for (llvm::Use& use : context->uses()) {
    auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    // The one that fills the local copy keeps the global.
    if (user != nullptr && user->getFunction() == loop &&
        !(llvm::isa<llvm::MemCpyInst>(user) && user->getOperand(0) == local)) {
      uses.push_back(&use);
    }
  }
  for (llvm::Use* use : uses) use->set(local);
}

}  // namespace kvgen
