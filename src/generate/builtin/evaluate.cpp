#include "generate/builtin/evaluate.h"

namespace kvgen::builtin {

std::string Evaluator::index_text(const Index& index, Body& body) {
  visit_values(index, [&](const IndexNode& read) {
    kernel_.set_value(read, value(read.value_of, read.inputs, body));
  });
  return kernel_.index(index);
}

std::string Evaluator::load(const std::string& tensor, const Node& what, const Indices& indices,
                            Body& body) {
  const std::string at = index_text(flatten(indices, what.shape), body);
  const std::string element = kernel_.tensor(tensor, what.dtype, false) + "[" + at + "]";
  return memory_type(what.dtype) == compute_type(what.dtype) ? element : "(float)" + element;
}

std::string Evaluator::operand(int node, DType computes_in, const Indices& indices, Body& body) {
  const Node& what = program_[node];
  return what.kind == Kind::kScalar ? kernel_.scalar(what, computes_in)
                                    : value(node, indices, body);
}

std::string Evaluator::guarded(const Node& guard, const Indices& indices, Body& body) {
  const std::string variable = "v" + std::to_string(variables_++);
  const Index condition = evaluated(guard.formula_of_indices, indices);
  const std::string text = index_text(condition, body);
  body.line(compute_type(guard.dtype) + " " + variable + ";");
  body.open("if (" + text + ") {");
  for (const bool first : {true, false}) {
    const int branch = guard.inputs[first ? 0 : 1];
    // What a branch declares is out of scope after it.
    const auto before = known_;
    body.line(variable + " = " + operand(branch, guard.dtype, indices, body) + ";");
    first ? body.otherwise() : body.close();
    known_ = before;
  }
  return variable;
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
  if (what.kind == Kind::kGuard && !group_.loads.contains(node)) {
    return known_.emplace(std::move(key), guarded(what, indices, body)).first->second;
  }
  const std::string text = computed(node, indices, body);
  const std::string variable = "v" + std::to_string(variables_++);
  body.line("const " + compute_type(what.dtype) + " " + variable + " = " + text + ";");
  known_.emplace(std::move(key), variable);
  return variable;
}

std::string Evaluator::computed(int node, const Indices& indices, Body& body) {
  const Node& what = program_[node];
  if (group_.loads.contains(node)) return load(schedule_.stored.at(node), what, indices, body);
  if (what.kind == Kind::kTensor) return load(what.tensor, what, indices, body);
  if (what.kind == Kind::kScalar) return kernel_.scalar(what, what.dtype);
  if (what.kind == Kind::kPosition) {
    return index_text(evaluated(what.formula_of_indices, indices), body);
  }
  std::vector<std::string> inputs;
  for (const int input : what.inputs) {
    inputs.push_back(operand(input, what.computes_in, indices, body));
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
