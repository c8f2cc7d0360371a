#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "generate/builtin/size.h"

namespace kvgen::builtin {

// Where an element lies along one dimension, as a function of a kernel's
// coordinates. Views are applied by rewriting these, so a reshape that undoes
// another leaves nothing behind. Equal keys mean equal positions.
struct IndexNode;
using Index = std::shared_ptr<const IndexNode>;
using Indices = std::vector<Index>;

struct Part {
  Index index;
  Size size;
};

struct IndexNode {
  enum class Kind {
    kZero,
    kCoordinate,  // the kernel's coordinate number `coordinate`
    kLinear,      // row-major over `parts`
    kDigit,       // base / inner % size, where base < total
    kFormula,     // `text` with $0, $1 for `inputs` and #0, #1 for `sizes`
    kValue,       // the integer that node `value_of` of the program has at `inputs`
  };
  Kind kind = Kind::kZero;
  int coordinate = -1;
  std::vector<Part> parts;
  Index base;
  Size total, inner, size;
  std::string text;
  Indices inputs;
  Sizes sizes;
  int value_of = -1;
  std::string key;
};

Index zero();
Index coordinate(int number);
Index linear(std::vector<Part> parts);
Index digit(const Index& base, const Size& total, const Size& inner, const Size& size);
// Integer arithmetic of C++ ("$0 * #0 + $1"); each operand is one token or in
// parentheses when it is put in.
Index formula(const std::string& text, Indices inputs, Sizes sizes);
Index value_at(int node, Indices inputs);

// Calls `visit` for every kValue in an index, inner ones first.
void visit_values(const Index& index, const std::function<void(const IndexNode&)>& visit);

// The row-major position of an element of `shape` at `indices`.
Index flatten(const Indices& indices, const Sizes& shape);
// The indices into `shape` of the element at a row-major position.
Indices unflatten(const Index& position, const Sizes& shape, std::size_t variants);

bool same(const Indices& a, const Indices& b);

}  // namespace kvgen::builtin
