#include "generate/builtin/evaluate.h"

namespace kvgen::builtin {

std::string Evaluator::load(const std::string& tensor, DType dtype, const Sizes& shape,
                            const Indices& indices) {
  const std::string element =
      kernel_.tensor(tensor, dtype, false) + "[" + kernel_.index(flatten(indices, shape)) + "]";
  return memory_type(dtype) == compute_type(dtype) ? element : "(float)" + element;
}

std::string Evaluator::value(int node, const Indices& indices, Body& body) {
  const auto local = locals_.find(node);
  if (local != locals_.end()) return local->second;
  const Node& what = program_[node];
  if (what.kind == Kind::kView && !group_.loads.contains(node)) {
    return value(what.inputs[0], through_view(program_, what, indices), body);
  }
  std::string key = std::to_string(node);
  for (const Index& index : indices) key += "," + index->key;
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const std::string text = computed(node, indices, body);
  const std::string variable = "v" + std::to_string(variables_++);
  body.line("const " + compute_type(what.dtype) + " " + variable + " = " + text + ";");
  known_.emplace(std::move(key), variable);
  return variable;
}

std::string Evaluator::computed(int node, const Indices& indices, Body& body) {
  const Node& what = program_[node];
  if (group_.loads.contains(node)) {
    return load(schedule_.stored.at(node), what.dtype, what.shape, indices);
  }
  if (what.kind == Kind::kTensor) return load(what.tensor, what.dtype, what.shape, indices);
  if (what.kind == Kind::kScalar) return kernel_.scalar(what, what.dtype);
  std::vector<std::string> inputs;
  for (const int input : what.inputs) {
    const Node& operand = program_[input];
    inputs.push_back(operand.kind == Kind::kScalar ? kernel_.scalar(operand, what.computes_in)
                                                   : value(input, indices, body));
  }
  return fill_in(what.formula, inputs, what.computes_in);
}

void Evaluator::store(const Sink& sink, Body& body) {
  const Node& what = program_[sink.node];
  const Index position = group_.position(sink);
  const std::string result =
      value(sink.node, unflatten(position, what.shape, program_.variants), body);
  const std::string cast = memory_type(what.dtype) == compute_type(what.dtype)
                               ? ""
                               : "(" + memory_type(what.dtype) + ")";
  body.line(kernel_.tensor(sink.tensor, what.dtype, true) + "[" + kernel_.index(position) +
            "] = " + cast + result + ";");
}

}  // namespace kvgen::builtin
