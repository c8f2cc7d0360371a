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

  // Leaves.
  int tensor(const std::string& name, DType dtype, Sizes shape);
  int literal(double value);
  int size_scalar(const std::string& expression);  // a real expression of the plan
  // A number of a call: the symbol that carries it, else a literal when all
  // variants agree. `fallback` when the argument is absent.
  int scalar(const Call& call, std::size_t position, std::string_view name,
             std::optional<double> fallback = std::nullopt);
  // The symbol that carries a call's argument.
  [[nodiscard]] std::optional<std::string> symbol(const Call& call, std::size_t position,
                                                  std::string_view name) const;

  // Expressions. Inputs are cast to `computes_in` and broadcast against each other.
  int pointwise(const std::string& formula, std::vector<int> inputs, DType dtype,
                DType computes_in);
  int pointwise(const std::string& formula, std::vector<int> inputs, DType dtype) {
    return pointwise(formula, std::move(inputs), dtype, dtype);
  }
  // As pointwise, but inputs keep their types.
  int mixed(const std::string& formula, std::vector<int> inputs, DType dtype, DType computes_in);
  int cast(int id, DType dtype);

  // Views.
  int permute(int id, std::vector<int> order);
  int broadcast_to(int id, const Sizes& shape);
  int reshape(int id, Sizes shape);
  int slice(int id, int dim, const Size& start, std::int64_t step, const Size& size);
  int squeeze(int id, const std::vector<int>& dims);

  // Keeps reduced dimensions as 1.
  int reduce(Fold fold, int id, std::vector<int> dims);
  int matmul(int a, int b);  // same batch dimensions

  // -1 when the dimension is out of range.
  int dimension(int id, std::int64_t dim);

  void output(const std::string& tensor, int id) { program_.outputs.push_back({tensor, id}); }

 private:
  int add(Node node);
  std::optional<Sizes> broadcast_shape(const std::vector<int>& inputs);
  int keyed(Node node, const std::string& key);

  const Task& task_;
  Program program_;
  std::vector<Size> tensor_sizes_;
  std::map<std::string, int> made_;
  std::optional<std::string> declined_;
};

}  // namespace kvgen::builtin
