#pragma once

#include <set>
#include <string>

#include "generate/builtin/ir.h"

namespace kvgen::builtin {

// A fold as kernels write it: `functor`::of(a, b) on values of `type`, which is
// Arg<...> where the place is wanted, beginning with `start`. In `term`, $0 is
// an element, in `result` the folded value.
struct FoldText {
  std::string functor;
  std::string start;
  std::string type;
  std::set<std::string> helpers;
  std::string term = "$0";
  std::string result = "$0";
  std::string lanes = "";  // helpers' suffix for moving values between lanes

  [[nodiscard]] std::string of_element(const std::string& value) const;
  [[nodiscard]] std::string of_folded(const std::string& value) const;
};

// Of a kReduce or kScan node.
FoldText fold_text(const Program& program, int node);

}  // namespace kvgen::builtin
