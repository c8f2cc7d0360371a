#pragma once

#include <string>

#include "kvgen/base/result.h"
#include "kvgen/model/attempt.h"
#include "kvgen/model/task.h"

namespace kvgen {

// A kernel as a PyTorch extension in HIP: one translation unit, in parts.
struct Extension {
  std::string prologue;  // what it is, includes
  std::string support;   // arithmetic and checks of the launch plan
  std::string device;    // the kernels' text as it was verified, and the table of kernels
  std::string host;      // forward(), generated from the plan
  std::string module;    // PYBIND11_MODULE

  [[nodiscard]] std::string text() const { return prologue + support + device + host + module; }
};

// From an attempt whose candidate was compiled. `forward` takes the module's inputs, then
// its parameters and buffers, then the symbols with today's values as defaults; it gives
// the output, or a tuple of them. What the plan says holds for every shape; the outputs'
// shapes are formulas of the inputs' that hold in each variant of the task, else only the
// variants' shapes are taken.
//
// kInvalid when the attempt has no plan or no build to export.
Result<Extension> make_extension(const Task& task, const Attempt& attempt);

}  // namespace kvgen
