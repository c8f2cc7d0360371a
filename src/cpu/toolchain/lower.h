#pragma once

#include <string>
#include <vector>

#include "kvgen/model/build.h"

namespace llvm {
class Module;
}

namespace kvgen {

// Gives a module the shape of kvgen/cpu/abi.h: an entry function for each kernel, static LDS in
// its section, dynamic LDS through the runtime's symbol, the object's description. Fills
// static_lds of each kernel.
void lower_for_cpu(llvm::Module& module, unsigned isa, std::vector<KernelInfo>& kernels);

}  // namespace kvgen
