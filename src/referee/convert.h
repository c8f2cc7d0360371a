#pragma once

#include <optional>
#include <string>

#include "kvgen/base/result.h"
#include "kvgen/model/graph.h"
#include "referee/program.h"

namespace kvgen::referee {

struct Conversion {
  Precision precision = Precision::kRecorded;
  bool random = false;  // draws keep their recorded type: other types draw other numbers
};

// One argument of a node as its schema wants it. The Error says what was
// expected; the caller names node and argument.
Result<Program::Input> convert(const Argument& argument, const c10::Argument& schema,
                               const Conversion& conversion);

}  // namespace kvgen::referee
