#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kvgen/model/task.h"
#include "kvgen/plan/plan.h"

namespace kvgen {

// Function names, wave, device.cus, device.lds.
bool is_reserved(std::string_view name);

struct Named {
  enum class Kind { kWave, kCus, kLds, kTensor, kSymbol, kLet, kBuffer };  // the owner first
  Kind kind = Kind::kTensor;
  int index = 0;  // into Names::tensors, Plan::buffers, Plan::lets, Variant::symbols
};

// What a plan may say for one variant: the task's tensors and symbols, the
// plan's own names, what the device tells. `as` names come and go with `do`.
class Names {
 public:
  // Keeps references: both outlive it.
  Names(const Plan& plan, const Variant& variant);

  // A name of the plan that the task has too: "let.rows" and what it clashes with.
  [[nodiscard]] std::optional<PlanFault> clash() const;

  [[nodiscard]] std::optional<Named> find(std::string_view name) const;
  // The nearest known name, `extra` included; "" when none is near.
  [[nodiscard]] std::string near(std::string_view name,
                                 const std::vector<std::string>& extra) const;

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Variant& variant() const { return variant_; }
  [[nodiscard]] const std::vector<TensorSpec>& tensors() const { return tensors_; }

  // Whether a let's value is a fraction: it holds one, a function that gives
  // one, a real symbol or a real let. Computed for all lets at once, cycles cut.
  [[nodiscard]] bool real(const Expression& expression) const;
  [[nodiscard]] bool real_let(int index) const {
    return real_lets_[static_cast<std::size_t>(index)];
  }

 private:
  const Plan& plan_;
  const Variant& variant_;
  std::vector<TensorSpec> tensors_;
  std::vector<std::pair<std::string, Named>> table_;  // sorted by name
  std::vector<bool> real_lets_;
};

}  // namespace kvgen
