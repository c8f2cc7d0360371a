#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kvgen/plan/checked.h"
#include "kvgen/plan/resolve.h"
#include "plan/names.h"

namespace kvgen {

// A value of a real-expr: integers keep their integer value.
struct PlanNumber {
  std::variant<std::int64_t, double> value = std::int64_t{0};

  [[nodiscard]] bool real() const { return value.index() == 1; }
  [[nodiscard]] double as_real() const {
    return real() ? std::get<1>(value) : static_cast<double>(std::get<0>(value));
  }
};

// Evaluates expressions for one variant on one device. Lets and buffer shapes
// are computed on construction; a let that cannot be computed matters only to
// those who use it. The plan has passed check_names.
class Evaluator {
 public:
  Evaluator(const Names& names, const DeviceLimits& limits);

  Checked<std::int64_t> integer(const Expression& expression, const std::string& place);
  Checked<PlanNumber> real(const Expression& expression, const std::string& place);

  // A buffer's shape as computed, or why it cannot be.
  [[nodiscard]] const Checked<Shape>& buffer_shape(int index) const {
    return buffers_[static_cast<std::size_t>(index)];
  }
  // The shape of a task's tensor or a plan buffer; empty for others.
  [[nodiscard]] Shape shape_of(const Named& tensor) const;

  void push_counter(std::string name, std::int64_t value) {
    counters_.emplace_back(std::move(name), value);
  }
  void set_counter(std::int64_t value) { counters_.back().second = value; }
  void pop_counter() { counters_.pop_back(); }

 private:
  class Walk;

  Checked<PlanNumber> evaluate(const Expression& expression, bool real, const std::string& place);
  Checked<Shape> compute_shape(const PlanBuffer& buffer);

  const Names& names_;
  const DeviceLimits& limits_;
  std::vector<Checked<PlanNumber>> lets_;
  std::vector<Checked<Shape>> buffers_;
  std::vector<std::pair<std::string, std::int64_t>> counters_;
  std::int64_t steps_left_ = 20'000'000;  // nodes, over the whole plan
};

}  // namespace kvgen
