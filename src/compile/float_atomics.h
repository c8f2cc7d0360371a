#pragma once

#include <vector>

#include "kvgen/model/build.h"

namespace llvm {
class Module;
}

namespace kvgen {

// Fills `float_atomics` of each kernel from the optimised module: whether code that it can reach
// adds to memory in floating point by an atomic operation or by a compare-and-swap loop, so that
// the order of threads may show in the result. What the optimiser found dead does not count.
void find_float_atomics(const llvm::Module& module, std::vector<KernelInfo>& kernels);

}  // namespace kvgen
