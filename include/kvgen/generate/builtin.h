#pragma once

#include <memory>

#include "kvgen/stage/generator.h"

namespace kvgen {

// Writes kernels by rules from the task's graph alone: elementwise chains,
// reductions, softmax and norms, matrix products with their epilogue, all
// fused where one kernel can hold them. It needs no model and no network.
// What it has no rule for is `no_candidate`, naming the operator.
std::unique_ptr<Generator> make_builtin();

}  // namespace kvgen
