#pragma once

#include <cstdint>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/task.h"
#include "referee/program.h"

namespace kvgen::referee {

// A variant's graph, compiled for one precision, and how to run it.
class Model {
 public:
  // `watched`: further values of the graph to keep, beside the outputs.
  static Result<Model> make(const Variant& variant, Precision precision,
                            std::vector<ValueId> watched = {});

  // The outputs, then the watched values. `inputs` as made by make_inputs; they
  // are copied first if the graph writes to what it is given. Draws inside the
  // graph follow `draw_seed`.
  Result<std::vector<at::Tensor>> run(const std::vector<at::Tensor>& inputs,
                                      std::uint64_t draw_seed, Noise* noise = nullptr) const;

  [[nodiscard]] bool writes_in_place() const { return program_.writes_in_place; }

 private:
  Program program_;
  std::vector<ValueId> inputs_;
  std::vector<double> units_;  // of the inputs' types
  std::vector<bool> learnt_;
  std::vector<ValueId> kept_;
};

}  // namespace kvgen::referee
