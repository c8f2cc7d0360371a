#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "generate/builtin/index.h"
#include "generate/builtin/size.h"
#include "kvgen/model/dtype.h"

namespace kvgen::builtin {

// The generator's own form of a graph: every operator broken into five kinds
// of node, all shapes symbolic. Nodes are numbered in execution order.
enum class Kind {
  kTensor,     // a tensor of the task
  kScalar,     // one number: a symbol, a size or a literal
  kPointwise,  // an expression of inputs of the same shape (or scalars)
  kView,       // another arrangement of its input's elements
  kReduce,     // over `dims`, which stay as dimensions of size 1
  kMatmul,     // [batch..., m, k] x [batch..., k, n]
};

enum class ViewKind { kPermute, kBroadcast, kReshape, kSlice };
enum class Fold { kSum, kProduct, kMax, kMin };

struct Node {
  Kind kind = Kind::kTensor;
  DType dtype = DType::kFloat32;
  Sizes shape;
  std::vector<int> inputs;

  std::string tensor;  // kTensor: its name in plans
  // kScalar: an expression of the plan, or (literal) a number of C++.
  std::string expression;
  bool literal = false;
  // kPointwise: C++ with $0, $1 for inputs, T for the type it computes in and
  // an @ after a mathematical function's name.
  std::string formula;
  DType computes_in = DType::kFloat32;

  ViewKind view = ViewKind::kReshape;
  std::vector<int> order;  // kPermute: input dimension of each dimension
  int dim = 0;             // kSlice
  Size start;
  std::int64_t step = 1;

  Fold fold = Fold::kSum;
  std::vector<int> dims;  // kReduce, sorted
};

struct Output {
  std::string tensor;
  int node = -1;
};

struct Program {
  std::size_t variants = 1;
  std::vector<Node> nodes;
  std::vector<Output> outputs;

  [[nodiscard]] const Node& operator[](int node) const {
    return nodes[static_cast<std::size_t>(node)];
  }
};

// A view's indices into its input, for indices into the view.
Indices through_view(const Program& program, const Node& view, const Indices& indices);

// The type that values of a dtype have inside a kernel ("float" for float16)
// and in memory.
std::string compute_type(DType dtype);
std::string memory_type(DType dtype);

}  // namespace kvgen::builtin
