#pragma once

#include <string_view>

namespace kvgen {

// Address of a function that objects may import; null for a name that is not on
// the list and for kvgen_cpu_dynamic_lds, whose address changes with each launch.
void* import_address(std::string_view name);

}  // namespace kvgen
