#pragma once

#include <string>
#include <vector>

#include "kvgen/base/json.h"

namespace kvgen::testing {

// The part of JSON Schema 2020-12 that configs/schema uses: type (one or a list),
// const, enum, required, properties, additionalProperties (false or a schema),
// items, minItems, maxItems, pattern, minLength, minimum, exclusiveMinimum,
// maximum, anyOf, $ref to "#/$defs/NAME".
//
// Gives one line per fault, "path: what"; a keyword it does not know is a fault of
// the schema and told as one, so that nothing is silently unchecked.
std::vector<std::string> faults_against(const Json& schema, const Json& value);

}  // namespace kvgen::testing
