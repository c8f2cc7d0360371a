#pragma once

#include <string>

#include "kvgen/base/result.h"
#include "kvgen/model/task.h"

namespace kvgen {

// Whether a straight line of calls makes sense: every value is defined once and
// before it is used, outputs are defined, names are unique, constants fit their
// shapes. kInvalid says where ("softmax.json: variants[0].graph.nodes[3]").
Result<void> check(const Graph& graph, const std::string& where);
Result<void> check(const InitProgram& program, const std::string& where);

// Both programs and the graph, that the programs make what the graph takes, and
// that every use of a symbol points at an argument of that value.
Result<void> check(const Variant& variant, const std::string& where);

// Whether all variants call the same operators in the same order and offer the
// same symbols.
Result<void> check_variants_agree(const Task& task, const std::string& where);

}  // namespace kvgen
