#pragma once

#include "referee/torch.h"

namespace kvgen::referee {

// Re-expresses a fused operator (a norm, a softmax, a loss, an activation whose
// formula cancels) as the textbook steps a kernel takes, each of which rounds.
// Replaces the arguments on the stack by the results and returns true; false,
// with the stack untouched, when the operator is a leaf already.
bool lower(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace kvgen::referee
