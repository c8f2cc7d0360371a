#pragma once

#include "kvgen/base/json.h"
#include "kvgen/model/attempt.h"
#include "kvgen/model/task.h"

namespace kvgen {

inline constexpr int kCardVersion = 1;

// What a model is told of its attempt: {"card": 1, "outcome", "stage", "text"}. The text
// names what failed and where, the head of the compiler's diagnostics, and a hint by the
// kind of outcome. Pure.
//
// Nothing in it lets a later candidate answer from memory: of floating outputs at most
// three elements with two significant digits, of others none; no seed, no digest, and
// nothing that the candidate printed.
Json feedback_card(const Task& task, const Attempt& attempt);

}  // namespace kvgen
