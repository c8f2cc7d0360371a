#pragma once

#include <map>
#include <string>
#include <vector>

#include "generate/builtin/ir.h"
#include "kvgen/base/json.h"

namespace kvgen::builtin {

// One variable of a kernel that counts, row-major, over some of its coordinates.
struct Axis {
  std::string variable;
  std::vector<int> coordinates;
};

// A kernel being written: its parameters with the plan's arguments for them,
// and the text of index expressions. Asking for the same thing again gives the
// same parameter.
class Kernel {
 public:
  Kernel(std::string name, std::size_t variants) : name_(std::move(name)), variants_(variants) {}

  std::string size(const Size& size);  // of type I
  std::string tensor(const std::string& name, DType dtype, bool written);
  std::string scalar(const Node& scalar, DType computes_in);

  void set_axes(std::vector<Axis> axes, std::map<int, Size> sizes);
  std::string index(const Index& index);
  // The variable that holds an index's kValue from now on.
  void set_value(const IndexNode& value, const std::string& variable) {
    values_[value.key] = variable;
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string signature() const;  // up to the closing parenthesis
  [[nodiscard]] const Json& arguments() const { return arguments_; }

 private:
  std::string parameter(const std::string& key, const std::string& type, std::string name,
                        const Json& argument);
  std::string run(const Axis& axis, std::size_t first, std::size_t last);
  std::string parts(const std::vector<Part>& parts);

  std::string name_;
  std::size_t variants_;
  std::map<std::string, std::string> known_;
  std::map<std::string, std::string> values_;
  std::vector<std::string> parameters_;
  std::vector<std::string> names_;
  Json arguments_ = Json::array();
  std::vector<Axis> axes_;
  std::map<int, Size> sizes_;
};

// The formula of a pointwise node with its inputs' texts.
std::string fill_in(const std::string& formula, const std::vector<std::string>& inputs,
                    DType computes_in);

}  // namespace kvgen::builtin
