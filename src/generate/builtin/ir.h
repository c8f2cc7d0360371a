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

// The generator's own form of a graph: every operator broken into a few kinds
// of node, all shapes symbolic. Nodes are numbered in execution order.
enum class Kind {
  kTensor,     // a tensor of the task
  kScalar,     // one number: a symbol, a size or a literal
  kPointwise,  // an expression of inputs of the same shape (or scalars)
  kView,       // another arrangement of its input's elements
  kReduce,     // over `dims`, which stay as dimensions of size 1
  kMatmul,     // [batch..., m, k] x [batch..., k, n]
  kScan,       // running fold along dims[0]
  kSort,       // places of the first elements in order along dims[0]
  kGuard,      // its first input where `condition` holds, else its second
  kPosition,   // an integer that follows from the element's indices alone
};

enum class ViewKind { kPermute, kBroadcast, kReshape, kMap };

// An integer out of an element's indices: `text` with $0, $1 for the indices
// along `dims` and #0, #1 for `sizes`. With an `index_node`, $0 is the integer
// which that node has at the indices along `dims`.
struct IndexFormula {
  std::string text = "$0";
  std::vector<int> dims;
  Sizes sizes;
  int index_node = -1;
};
enum class Fold { kSum, kProduct, kMax, kMin, kLogAddExp };

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
  std::vector<int> order;          // kPermute: input dimension of each dimension
  std::vector<IndexFormula> maps;  // kMap: one for each dimension of the input

  // kGuard: nonzero where the first input is taken, which may have no value
  // elsewhere. kPosition: the value.
  IndexFormula formula_of_indices;

  Fold fold = Fold::kSum;
  bool arg = false;         // kReduce, kScan: the place of the extreme along the dims
  std::vector<int> dims;    // kReduce, sorted; kScan, kSort
  bool descending = false;  // kSort
};

// Rows up to this length are sorted in LDS; of longer ones, up to so many
// elements are chosen one after another.
inline constexpr std::int64_t kLargestSort = 4096;
inline constexpr std::int64_t kLargestChoice = 128;

struct Output {
  std::string tensor;
  int node = -1;
};

struct Program {
  std::size_t variants = 1;
  std::vector<Node> nodes;
  std::vector<Output> outputs;
  std::vector<std::pair<std::string, std::string>> lets;  // names for sizes, in order

  [[nodiscard]] const Node& operator[](int node) const {
    return nodes[static_cast<std::size_t>(node)];
  }
};

// A view's indices into its input, for indices into the view.
Indices through_view(const Program& program, const Node& view, const Indices& indices);

Index evaluated(const IndexFormula& formula, const Indices& indices);

// The type that values of a dtype have inside a kernel ("float" for float16)
// and in memory.
std::string compute_type(DType dtype);
std::string memory_type(DType dtype);

}  // namespace kvgen::builtin
