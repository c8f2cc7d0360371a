#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/task.h"
#include "referee/program.h"

namespace kvgen::referee {

// "recorded": the calls that get_inputs() made, from the seed. The others redraw
// floating inputs of the same shapes: "normal" N(0,1), "shifted" N(3,1),
// "scaled" N(0,100), "low_variance" N(1,1e-4). Anything else is kUsage.
Result<void> check_distribution(const std::string& distribution);

// The tensors that exist before the graph's first node, in the order of
// graph.inputs, contiguous, of the recorded types. The same seed, the same bits.
// Floating parameters that are constant are moved by a seeded amount, so that a
// kernel that leaves them out is seen.
Result<std::vector<at::Tensor>> make_inputs(const Variant& variant, std::uint64_t seed,
                                            const std::string& distribution);

// What one program makes from a seed, by name, as the calls left it (views included).
Result<std::map<std::string, at::Tensor>> replay(const InitProgram& program, std::uint64_t seed,
                                                 const std::string& where);

}  // namespace kvgen::referee
