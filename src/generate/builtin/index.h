#pragma once

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
    kAffine,      // start + step * base
  };
  Kind kind = Kind::kZero;
  int coordinate = -1;
  std::vector<Part> parts;
  Index base;
  Size total, inner, size;
  Size start;
  std::int64_t step = 1;
  std::string key;
};

Index zero();
Index coordinate(int number);
Index linear(std::vector<Part> parts);
Index digit(const Index& base, const Size& total, const Size& inner, const Size& size);
Index affine(const Index& base, const Size& start, std::int64_t step);

// The row-major position of an element of `shape` at `indices`.
Index flatten(const Indices& indices, const Sizes& shape);
// The indices into `shape` of the element at a row-major position.
Indices unflatten(const Index& position, const Sizes& shape, std::size_t variants);

bool same(const Indices& a, const Indices& b);

}  // namespace kvgen::builtin
