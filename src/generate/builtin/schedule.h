#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "generate/builtin/ir.h"

namespace kvgen::builtin {

// A tensor that a kernel writes: a value of the program, element by element of
// the kernel's domain, or once a row.
struct Sink {
  int node = -1;
  std::string tensor;
  bool per_row = false;
};

// One kernel: what it walks over, what it computes on the way, what it stores.
struct Group {
  enum class Form {
    kPointwise,  // every element of `domain` by itself
    kRow,        // `locals` are reductions of `domain` over `reduced`
    kScan,       // `locals` are running folds of `domain` along `reduced`
    kSort,       // `locals` is one order, of shape `domain`, along `reduced`
    kMatmul,     // `locals` is one product, of shape `domain`
  };
  Form form = Form::kPointwise;
  Sizes domain;
  std::vector<int> reduced;
  std::vector<int> locals;
  std::vector<Sink> sinks;
  std::set<int> loads;  // nodes read from where another kernel stored them
  std::set<int> after;  // groups that must run before

  // Indices of the current element; zero along dimensions of size 1.
  [[nodiscard]] Indices element() const;
  [[nodiscard]] bool is_reduced(std::size_t dim) const;
  [[nodiscard]] bool has_local(int node) const;
  // Whether these are the current row's (or element's) indices into a local.
  [[nodiscard]] bool is_current(const Indices& indices) const;
  // The row-major position that a sink is stored at.
  [[nodiscard]] Index position(const Sink& sink) const;
  [[nodiscard]] Sizes kept() const;
};

struct Buffer {
  std::string name;
  DType dtype = DType::kFloat32;
  Sizes shape;
};

struct Schedule {
  std::vector<Group> groups;
  std::vector<int> order;             // of groups
  std::map<int, std::string> stored;  // node -> tensor that holds it
  std::vector<Buffer> buffers;
};

// Every output is stored exactly once, and everything a kernel loads is stored
// by an earlier one.
Schedule schedule(const Program& program);

}  // namespace kvgen::builtin
