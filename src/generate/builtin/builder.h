#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "generate/builtin/call.h"
#include "generate/builtin/ir.h"
#include "kvgen/model/task.h"

namespace kvgen::builtin {

// Builds a Program out of a task's calls. The first thing that cannot be done
// is kept as the reason to decline; from then on every node is -1.
class Builder {
 public:
  explicit Builder(const Task& task);

  int decline(const std::string& reason);
  [[nodiscard]] const std::optional<std::string>& declined() const { return declined_; }
  [[nodiscard]] std::size_t variants() const { return program_.variants; }
  [[nodiscard]] const Node& node(int id) const { return program_[id]; }
  [[nodiscard]] const Sizes& shape(int id) const { return program_[id].shape; }
  [[nodiscard]] DType dtype(int id) const { return program_[id].dtype; }
  [[nodiscard]] Program take() { return std::move(program_); }

  // Sizes. `known` finds an expression for a size of which only values are
  // known: a dimension of a tensor of the task, or a symbol.
  [[nodiscard]] Size number(std::int64_t value) const;
  std::optional<Size> known(const std::vector<std::int64_t>& at) const;
  // Known, or one step of arithmetic with a constant away from what is known.
  std::optional<Size> expressed(const std::vector<std::int64_t>& at) const;
  // The same size under a short name of the plan.
  Size named(const Size& size);

  // Leaves.
  int tensor(const std::string& name, DType dtype, Sizes shape);
  int literal(double value);
  int size_scalar(const std::string& expression);  // a real expression of the plan
  int size_number(const Size& size);               // an integer
  // A number of a call: the symbol that carries it, else a literal when all
  // variants agree. `fallback` when the argument is absent.
  int scalar(const Call& call, std::size_t position, std::string_view name,
             std::optional<double> fallback = std::nullopt);
  // The symbol that carries a call's argument.
  [[nodiscard]] std::optional<std::string> symbol(const Call& call, std::size_t position,
                                                  std::string_view name, int item = -1) const;
  // An integer of a call (an item of a list there) as a size: 0, 1, the symbol
  // that carries it, or what is known.
  std::optional<Size> size_argument(const Call& call, std::size_t position, std::string_view name,
                                    int item = -1) const;

  // Expressions. Inputs are cast to `computes_in` and broadcast against each other.
  int pointwise(const std::string& formula, std::vector<int> inputs, DType dtype,
                DType computes_in);
  int pointwise(const std::string& formula, std::vector<int> inputs, DType dtype) {
    return pointwise(formula, std::move(inputs), dtype, dtype);
  }
  // As pointwise, but inputs keep their types.
  int mixed(const std::string& formula, std::vector<int> inputs, DType dtype, DType computes_in);
  int cast(int id, DType dtype);

  // nullopt where it depends on the variant.
  std::optional<Sizes> broadcast_shape(const std::vector<int>& inputs);

  // Views.
  int permute(int id, std::vector<int> order);
  int broadcast_to(int id, const Sizes& shape);
  int reshape(int id, Sizes shape);
  int map(int id, Sizes shape, std::vector<IndexFormula> maps);
  // Elements start, start + step, ... along a dimension.
  int slice(int id, int dim, const Size& start, const Size& step, const Size& size);
  // Rows of a dimension that nodes of integers name ("$0" is theirs) or that
  // follow from the index: the other dimensions stay.
  int remap(int id, int dim, const Size& size, IndexFormula where);
  int squeeze(int id, const std::vector<int>& dims);

  // `inside` where the condition holds, else `outside`; of the same shape and
  // type, or numbers. Only the one that is taken is computed.
  int guard(IndexFormula condition, int inside, int outside);
  // int64: an integer that follows from the element's own indices.
  int position(Sizes shape, IndexFormula value);
  // Puts `value` around the elements: `before` and `after` each dimension.
  int pad(int id, const Sizes& before, const Sizes& after, int value);
  int cat(const std::vector<int>& parts, int dim);

  // Keeps reduced dimensions as 1.
  int reduce(Fold fold, int id, std::vector<int> dims);
  // int64: the row-major place of the first largest or smallest along the dims.
  int arg_reduce(Fold fold, int id, std::vector<int> dims);
  // Running fold along a dimension; `arg`: the place of the last extreme so far.
  int scan(Fold fold, int id, int dim, bool arg = false);
  // int64: the places of the `count` first elements in order along a dimension;
  // of equal ones, the first stands first. NaN counts as the largest.
  int sort(int id, int dim, bool descending, const Size& count);
  int matmul(int a, int b);  // same batch dimensions

  // -1 when the dimension is out of range.
  int dimension(int id, std::int64_t dim);

  void output(const std::string& tensor, int id) { program_.outputs.push_back({tensor, id}); }

 private:
  int add(Node node);
  int folded(Fold fold, int id, std::vector<int> dims, bool arg);
  int keyed(Node node, const std::string& key);

  [[nodiscard]] bool taken(const std::string& name) const;

  const Task& task_;
  Program program_;
  std::vector<Size> tensor_sizes_;
  std::map<std::string, int> made_;
  std::optional<std::string> declined_;
};

}  // namespace kvgen::builtin
