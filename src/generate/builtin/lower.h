#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "generate/builtin/builder.h"
#include "generate/builtin/call.h"
#include "generate/builtin/ir.h"
#include "kvgen/model/task.h"

namespace kvgen::builtin {

// What a rule sees: one call, and the nodes of its tensor arguments.
class Scope {
 public:
  Scope(Builder& builder, const Call& call, const std::unordered_map<int, int>& values)
      : b(builder), call(call), values_(values) {}

  Builder& b;
  const Call& call;

  // The node of a tensor argument; declines when it is something else.
  int tensor(std::size_t position, std::string_view name);
  // A tensor, or a number as Builder::scalar gives it.
  int operand(std::size_t position, std::string_view name,
              std::optional<double> fallback = std::nullopt);
  [[nodiscard]] bool has(std::size_t position, std::string_view name) const {
    return call.argument(position, name) != nullptr;
  }
  // The nodes of a list of tensors.
  std::vector<int> tensors(std::size_t position, std::string_view name);
  // The same, -1 for items that are null.
  std::vector<int> tensors_or_none(std::size_t position, std::string_view name);
  // One size for each of `count` dimensions; the fallback where the argument is
  // absent or an empty list.
  std::optional<Sizes> sizes(std::size_t position, std::string_view name, std::size_t count,
                             const Sizes& fallback = {});
  // The dtype that the graph gives the result.
  [[nodiscard]] DType result_dtype() const { return call.dtype().value_or(DType::kFloat32); }
  // "no rule for this use of aten::softmax"
  int unusual();

 private:
  const std::unordered_map<int, int>& values_;
};

// Lowers one call to the nodes of its results (one, or those of a list or tuple).
using Rule = std::vector<int> (*)(Scope&);
using Rules = std::unordered_map<std::string_view, Rule>;  // by the operator's short name

void add_pointwise_rules(Rules& rules);
void add_activation_rules(Rules& rules);
void add_view_rules(Rules& rules);
void add_reduction_rules(Rules& rules);
void add_norm_rules(Rules& rules);
void add_matmul_rules(Rules& rules);
void add_convolution_rules(Rules& rules);
void add_pool_rules(Rules& rules);
void add_index_rules(Rules& rules);
void add_gather_rules(Rules& rules);
void add_choice_rules(Rules& rules);
void add_loss_rules(Rules& rules);
void add_attention_rules(Rules& rules);
void add_interpolate_rules(Rules& rules);

// The whole task as a Program, or the reason why there is none
// ("no rule for aten::cumsum").
std::variant<Program, std::string> lower(const Task& task);

}  // namespace kvgen::builtin
