#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kvgen/model/task.h"
#include "kvgen/plan/plan.h"

namespace kvgen {

// What the names of a plan are called in the exported file.
class ExportNames {
 public:
  ExportNames(const Plan& plan, const Variant& variant);

  // A C++ expression for a name that is a number: "let_rows()", "symbol_eps", "i_step".
  [[nodiscard]] std::string number(const std::string& name) const;
  // A C++ variable for a tensor or plan buffer; none for other names.
  [[nodiscard]] std::optional<std::string> tensor(const std::string& name) const;
  // The identifier of a let, a counter or a symbol, without the call.
  [[nodiscard]] const std::string& variable(const std::string& name) const;

  [[nodiscard]] bool is_let(const std::string& name) const { return lets_.contains(name); }
  // Whether a let is computed as a fraction: as plan/names.h has it.
  [[nodiscard]] bool real_let(const std::string& name) const { return lets_.at(name); }
  [[nodiscard]] DType dtype(const std::string& tensor) const { return dtypes_.at(tensor); }

  // What the plan asks of the device: "wave", "device.cus", "device.lds".
  [[nodiscard]] static bool is_device(const std::string& name);

  void add_counter(const std::string& name);

 private:
  std::string unused(std::string wanted);
  [[nodiscard]] bool is_real(const Expression& expression, const Variant& variant) const;

  std::map<std::string, std::string> numbers_;
  std::map<std::string, std::string> tensors_;
  std::map<std::string, DType> dtypes_;
  std::map<std::string, bool> lets_;
  std::map<std::string, int> taken_;
};

// A C++ expression of type Number with the value of a plan's expression.
std::string expression_text(const Expression& expression, bool real, const ExportNames& names);

// The shape of each output as C++ expressions of the inputs' dims and symbols, in order;
// an output without formulas that hold in every variant is empty.
struct OutputShape {
  std::string tensor;
  bool known = false;
  std::vector<std::string> extents;
};
std::vector<OutputShape> output_shapes(const Task& task, const ExportNames& names);

}  // namespace kvgen
