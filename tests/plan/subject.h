#pragma once

#include <string>
#include <vector>

#include "kvgen/model/build.h"
#include "kvgen/model/task.h"
#include "kvgen/plan/resolved.h"

namespace kvgen::test {

// The task and the kernels that the cases speak of, read from
// tests/plan/cases/subject.txt.
struct Subject {
  Variant variant;
  Build build;
};
Subject subject();

// One case of a case file: lines before "=>", lines after it, blank line between cases.
struct Case {
  std::string name;  // of the file and line
  std::string text;
  std::vector<std::string> expected;
};
std::vector<Case> cases_in(const std::string& file);

// One line a step: "run[0] scale grid 4 1 1 block 256 1 1 lds 0 (input 0, output 0, 4:0x3e8)".
std::vector<std::string> lines_of(const ResolvedPlan& plan);

}  // namespace kvgen::test
