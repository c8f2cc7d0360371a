#pragma once

#include <string>

#include "export/names.h"
#include "kvgen/model/build.h"

namespace kvgen {

// The body of forward(): lets and buffers in an order that works, then the steps.
std::string launcher_text(const Plan& plan, const Variant& variant, const Build& build,
                          ExportNames& names);

// "at::kFloat"
std::string scalar_type(DType dtype);

}  // namespace kvgen
