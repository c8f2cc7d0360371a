#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generate/builtin/size.h"
#include "kvgen/model/task.h"

namespace kvgen::builtin {

// One call of the graph as all variants of a task have it: the same operator,
// whose numbers may differ.
class Call {
 public:
  Call(std::vector<const kvgen::Node*> nodes, int number)
      : nodes_(std::move(nodes)), number_(number) {}

  [[nodiscard]] const std::string& op() const { return nodes_[0]->op; }
  [[nodiscard]] const std::string& overload() const { return nodes_[0]->overload; }
  [[nodiscard]] int number() const { return number_; }  // of the node in the graph
  [[nodiscard]] std::string short_op() const;           // "softmax" of aten::softmax
  [[nodiscard]] std::size_t variants() const { return nodes_.size(); }
  [[nodiscard]] const kvgen::Node& first() const { return *nodes_[0]; }

  // The argument by position or keyword, in one variant; nullptr when absent or null.
  [[nodiscard]] const Argument* argument(std::size_t position, std::string_view name,
                                         std::size_t variant = 0) const;

  // Structure: nullopt where variants disagree or the argument is of another kind.
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t position, std::string_view name,
                                                    std::int64_t fallback) const;
  [[nodiscard]] std::optional<bool> boolean(std::size_t position, std::string_view name,
                                            bool fallback) const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::size_t position,
                                                                  std::string_view name) const;
  [[nodiscard]] std::optional<std::string> text(std::size_t position, std::string_view name,
                                                std::string fallback) const;
  // A number's value in each variant.
  struct Number {
    std::vector<double> at;
    std::vector<std::int64_t> integers;  // empty unless all are ints
  };
  [[nodiscard]] std::optional<Number> number_at(std::size_t position, std::string_view name) const;
  // An integer in each variant: an item of a list, or (item -1) the argument. A
  // single integer counts as every item of a list.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integer_in_each(std::size_t position,
                                                                         std::string_view name,
                                                                         int item) const;
  // How many items a list has; 0 when it is absent or variants disagree.
  [[nodiscard]] std::size_t length(std::size_t position, std::string_view name) const;

  // The shape of a result in each variant, dimension by dimension; nullopt where unknown.
  [[nodiscard]] std::optional<std::vector<std::vector<std::int64_t>>> shape(
      std::size_t output = 0) const;
  [[nodiscard]] std::optional<DType> dtype(std::size_t output = 0) const;

 private:
  std::vector<const kvgen::Node*> nodes_;
  int number_;
};

}  // namespace kvgen::builtin
