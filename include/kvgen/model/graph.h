#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/model/tensor.h"

namespace kvgen {

// Identifies a value inside one graph or program.
struct ValueId {
  int id = -1;
  friend bool operator==(ValueId, ValueId) = default;
};

struct DTypeArgument {
  std::string name;  // as torch spells it, "complex64" included
};
struct DeviceArgument {
  std::string name;
};
struct LayoutArgument {
  std::string name;
};
struct MemoryFormatArgument {
  std::string name;
};

struct Argument;
using ArgumentList = std::vector<Argument>;

// One argument of an ATen call: null, bool, int, float (infinities too), text,
// a value of the graph, a torch enum, or a list of these.
struct Argument {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, ValueId, DTypeArgument,
               DeviceArgument, LayoutArgument, MemoryFormatArgument, ArgumentList>
      value;

  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&value);
  }
  [[nodiscard]] bool is_null() const { return value.index() == 0; }
};

struct ValueMeta {
  DType dtype = DType::kFloat32;
  Shape shape;
};

// A call of an ATen operator: "aten::softmax", overload "int".
struct Node {
  std::string op;
  std::string overload;
  std::vector<Argument> args;
  std::vector<std::pair<std::string, Argument>> kwargs;
  std::vector<std::optional<ValueId>> outputs;  // nullopt: nobody uses it
  std::vector<std::optional<ValueMeta>> metas;  // as outputs; nullopt where not a tensor
  bool returns_list = false;                    // one Tensor[] return, filled by outputs

  [[nodiscard]] std::string full_name() const {  // "aten::softmax.int"
    return overload.empty() ? op : op + "." + overload;
  }
};

// A tensor that exists before the first node.
struct GraphInput {
  ValueId value;
  TensorSpec spec;
};

// A Python scalar given to forward (bool, int, float): a constant of the variant.
struct GraphScalar {
  std::string name;
  Argument value;
};

struct GraphOutput {
  ValueId value;
  TensorSpec spec;  // role kOutput, or kInPlace for a mutated input or buffer
};

// A straight line of ATen calls in execution order (PyTorch's training IR).
struct Graph {
  std::vector<GraphInput> inputs;
  std::vector<GraphScalar> scalars;
  std::vector<Node> nodes;
  std::vector<GraphOutput> outputs;
};

// The ATen calls that made the weights or the inputs, recorded by a dispatch
// mode and replayed from a seed. `made` names what it produces.
struct InitProgram {
  struct Made {
    std::string name;  // a GraphInput's name
    ValueId value;
  };
  struct Constant {  // a small tensor the program could not compute
    ValueId value;
    DType dtype = DType::kFloat32;
    Shape shape;
    std::string base64;  // little-endian elements
  };
  std::vector<Constant> constants;
  std::vector<Node> nodes;
  std::vector<Made> made;
};

Json to_json(const Argument& argument);
Result<Argument> argument_from(const Json& json, const std::string& where);
Json to_json(const Node& node);
Result<Node> node_from(const Json& json, const std::string& where);
Json to_json(const Graph& graph);
Result<Graph> graph_from(const Json& json, const std::string& where);
Json to_json(const InitProgram& program);
Result<InitProgram> init_program_from(const Json& json, const std::string& where);

}  // namespace kvgen
