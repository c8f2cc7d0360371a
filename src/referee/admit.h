#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/task.h"

namespace kvgen::referee {

// What a task's verdicts would be worth, by its "small" variant (else "tiny", else
// the first) on recorded and on one other admissible distribution:
//   "degenerate: zeros|means|ones|copy of x"  that answer is within the limit each time
//   "loose: zeros pass allclose 1e-2"         ... within 1e-2 of eager on recorded inputs
//   "ignores: x"           redrawing x leaves every output the same
//   "random"               the graph draws numbers
//   "ill_conditioned"      float32 errs by more than its limit or 1e-3 of the values
Result<std::vector<std::string>> admit(const Task& task, std::uint64_t seed);

}  // namespace kvgen::referee
