#include <algorithm>
#include <cctype>
#include <charconv>

#include "kvgen/plan/resolve.h"

namespace kvgen {
namespace {

constexpr std::int64_t kSmallest = 16;  // smaller numbers are seldom sizes
constexpr std::size_t kMostRemarks = 32;

class Teller {
 public:
  explicit Teller(const Variant& variant) : tensors_(variant.tensors()) {}

  std::vector<std::string> tell(const Plan& plan) {
    for (const PlanLet& let : plan.lets) expression(let.value, "let." + let.name);
    for (const PlanBuffer& buffer : plan.buffers)
      list(buffer.shape, "buffers." + buffer.name + ".shape");
    steps(plan.prepare);
    steps(plan.run);
    return std::move(remarks_);
  }

 private:
  void list(const std::vector<Expression>& expressions, const std::string& place) {
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      expression(expressions[i], place + "[" + std::to_string(i) + "]");
    }
  }

  void expression(const Expression& one, const std::string& place) {
    std::vector<bool> tile(one.nodes.size(), false);
    for (const Expression::Node& node : one.nodes) {
      const auto* function = std::get_if<PlanFunction>(&node.what);
      const bool tiles = function != nullptr && (*function == PlanFunction::kCeilDiv ||
                                                 *function == PlanFunction::kRoundUp);
      if (tiles) tile[static_cast<std::size_t>(node.operands[1])] = true;
    }
    for (std::size_t i = 0; i < one.nodes.size(); ++i) {
      const auto* value = std::get_if<std::int64_t>(&one.nodes[i].what);
      if (value != nullptr && !tile[i]) number(*value, place);
    }
  }

  void number(std::int64_t value, const std::string& place) {
    if (value < kSmallest || remarks_.size() >= kMostRemarks) return;
    std::string what;
    for (const TensorSpec& tensor : tensors_) {
      const auto at = std::find(tensor.shape.begin(), tensor.shape.end(), value);
      if (at != tensor.shape.end()) {
        what = "dim(" + tensor.name + ", " + std::to_string(at - tensor.shape.begin()) + ")";
      } else if (numel(tensor.shape) == value) {
        what = "numel(" + tensor.name + ")";
      }
      if (!what.empty()) break;
    }
    if (what.empty()) return;
    std::string remark = place + ": " + std::to_string(value) + " is " + what + " of this variant";
    if (std::find(remarks_.begin(), remarks_.end(), remark) == remarks_.end()) {
      remarks_.push_back(std::move(remark));
    }
  }

  // Integers among a template's arguments: softmax<1000>.
  void kernel_name(const std::string& name, const std::string& place) {
    std::size_t at = name.find('<');
    while (at < name.size()) {
      const auto digit = [&](std::size_t i) {
        return std::isdigit(static_cast<unsigned char>(name[i])) != 0;
      };
      const auto word = [&](std::size_t i) {
        return std::isalnum(static_cast<unsigned char>(name[i])) != 0 || name[i] == '_';
      };
      if (!digit(at) || word(at - 1)) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < name.size() && digit(end)) ++end;
      std::int64_t value = 0;
      std::from_chars(name.data() + at, name.data() + end, value);
      number(value, place);
      at = end;
    }
  }

  void steps(const std::vector<PlanStep>& steps_here) {
    for (const PlanStep& step : steps_here) {
      if (step.when) expression(*step.when, step.place + ".when");
      if (const auto* launch = std::get_if<PlanLaunch>(&step.what)) {
        tell_launch(*launch, step.place);
      } else if (const auto* repeat = std::get_if<PlanRepeat>(&step.what)) {
        expression(repeat->count, step.place + ".repeat");
        steps(repeat->steps);
      } else if (const auto* copy = std::get_if<PlanCopy>(&step.what)) {
        if (copy->count) expression(*copy->count, step.place + ".count");
      }
    }
  }

  // Block and shared are left out: 256 threads are seldom a tensor's 256.
  void tell_launch(const PlanLaunch& launch, const std::string& place) {
    kernel_name(launch.kernel, place + ".kernel");
    list(launch.grid, place + ".grid");
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const std::string here = place + ".args[" + std::to_string(i) + "]";
      if (const auto* scalar = std::get_if<PlanScalar>(&launch.arguments[i])) {
        expression(scalar->value, here);
      } else if (const auto* tensor = std::get_if<PlanPlace>(&launch.arguments[i])) {
        if (tensor->offset) expression(*tensor->offset, here + ".offset");
      }
    }
  }

  std::vector<TensorSpec> tensors_;
  std::vector<std::string> remarks_;
};

}  // namespace

std::vector<std::string> literals_of_today(const Plan& plan, const Variant& variant) {
  return Teller(variant).tell(plan);
}

}  // namespace kvgen
