#pragma once

#include <string>
#include <vector>

#include "device/cpu/control.h"
#include "kvgen/device/engine.h"

namespace kvgen {

// What a child told, put into words. Everything in `control` is untrusted.
RunReport report_of_fault(const ChildControl& control, const DeviceRun& run);

// The kernels' text, with bytes that are not text replaced.
std::string printed_text(const ChildControl& control);

}  // namespace kvgen
