#pragma once

#include <string>

#include "kvgen/model/build.h"
#include "kvgen/model/dtype.h"

namespace kvgen {

// "softmax(const float* x, float* out, int cols)"
std::string signature_text(const KernelInfo& kernel);

// Whether a pointer parameter takes a tensor of this dtype: same element width
// and class, vectors of the element, void* and char*.
bool takes(const KernelParameter& parameter, DType dtype);

}  // namespace kvgen
