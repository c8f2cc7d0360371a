#pragma once

#include <string>

namespace llvm {
class Module;
}

namespace kvgen {

// Adds kvgen_loop.S for a kernel that cannot reach a barrier or a wave operation: all threads of
// a block one after another in one function, their indices in registers. Nothing for the others.
void add_loop(llvm::Module& module, const std::string& symbol);

}  // namespace kvgen
