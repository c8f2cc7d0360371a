#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/graph.h"
#include "referee/torch.h"

namespace kvgen::referee {

class Noise;

// kRecorded: the types of the graph. kWide: every floating type is float64
// (complex: complex128), constants and dtype arguments too.
enum class Precision { kRecorded, kWide };

at::ScalarType scalar_type(DType dtype);

// A straight line of boxed ATen calls with every argument converted and checked
// against the operator's schema. Values live in numbered slots; each slot is
// emptied after its last use unless kept.
struct Program {
  struct Input {
    enum class Kind { kConstant, kTensor, kTensors, kOptionalTensors };
    Kind kind = Kind::kConstant;
    c10::IValue constant;
    std::vector<int> slots;  // -1: absent
  };
  struct Step {
    c10::OperatorHandle op;
    std::string place;  // "nodes[3] aten::mul.Tensor", for messages
    std::vector<Input> inputs;
    std::vector<int> outputs;  // -1: nobody uses it
    std::vector<int> dead;     // slots emptied after the step
    bool returns_list = false;
    bool zeroed = false;  // allocates without writing
    bool rounds = false;  // converts to a type narrower than float32
    double unit = 0;      // unit round-off of the recorded result's type
  };

  std::vector<Step> steps;
  std::size_t slots = 0;
  Precision precision = Precision::kRecorded;
  bool writes_in_place = false;  // some step writes to a tensor it was given
};

using Values = std::vector<at::Tensor>;

// `given` exist before the first step, `kept` stay after the last. kInvalid names
// the node and the argument: an operator off the allow-list, a value used before
// it is made, an argument of the wrong kind.
Result<Program> compile(std::span<const Node> nodes, std::span<const ValueId> given,
                        std::span<const ValueId> kept, Precision precision,
                        const std::string& where);

// Whether it runs as eager PyTorch does under no_grad, so that weights must be seen to be learnt;
// else in inference mode. Noise looks below autograd.
bool runs_as_eager(const Program& program, const Noise* noise);

// Runs the steps on `values` (program.slots of them). An exception of libtorch
// becomes kInvalid, lack of memory kFull; both name the step. With `noise`, every
// floating result is moved within its rounding.
Result<void> execute(const Program& program, Values& values, Noise* noise = nullptr);

// Runs a piece of code that calls libtorch; its exceptions become Errors.
Error error_from_exception(const std::exception& e, const std::string& place);
template <class F>
auto guarded(const std::string& place, F&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::exception& e) {
    return error_from_exception(e, place);
  }
}

}  // namespace kvgen::referee
