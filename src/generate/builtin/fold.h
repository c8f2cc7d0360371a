#pragma once

#include <set>
#include <string>

#include "generate/builtin/ir.h"

namespace kvgen::builtin {

// A fold as kernels write it: `functor`::of(a, b) on values of `type`, which is
// Arg<...> where the place is wanted, beginning with `start`.
struct FoldText {
  std::string functor;
  std::string start;
  std::string type;
  std::set<std::string> helpers;
};

// Of a kReduce or kScan node.
FoldText fold_text(const Program& program, int node);

}  // namespace kvgen::builtin
