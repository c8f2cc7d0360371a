#include "referee/model.h"

#include "referee/noise.h"

namespace kvgen::referee {

Result<Model> Model::make(const Variant& variant, Precision precision,
                          std::vector<ValueId> watched) {
  Model model;
  for (const GraphInput& input : variant.graph.inputs) {
    model.inputs_.push_back(input.value);
    model.units_.push_back(unit_roundoff(input.spec.dtype));
    model.learnt_.push_back(input.spec.role == TensorRole::kParameter);
  }
  for (const GraphOutput& output : variant.graph.outputs) model.kept_.push_back(output.value);
  model.kept_.insert(model.kept_.end(), watched.begin(), watched.end());
  TRY(model.program_, compile(variant.graph.nodes, model.inputs_, model.kept_, precision,
                              "variant " + variant.name + ".graph"));
  return model;
}

Result<std::vector<at::Tensor>> Model::run(const std::vector<at::Tensor>& inputs,
                                           std::uint64_t draw_seed, Noise* noise) const {
  const bool as_eager = runs_as_eager(program_, noise);
  const c10::InferenceMode inference(!as_eager);
  const at::NoGradGuard no_grad;
  Values values(program_.slots);
  const auto place = [&]() -> Result<void> {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      at::Tensor tensor = inputs[i];
      const bool widen = program_.precision == Precision::kWide && tensor.is_floating_point();
      if (widen) tensor = tensor.to(at::kDouble);
      if (noise != nullptr) tensor = noise->rounded(tensor, units_[i]);
      if (program_.writes_in_place && tensor.is_same(inputs[i])) tensor = tensor.clone();
      // Products choose their kernel, and so their bits, by whether a weight is learnt.
      if (as_eager && learnt_[i] && tensor.is_floating_point()) {
        if (tensor.is_inference()) {
          tensor = tensor.clone();
        } else if (tensor.is_same(inputs[i])) {
          tensor = tensor.detach();
        }
        tensor.set_requires_grad(true);
      }
      values.at(static_cast<std::size_t>(inputs_[i].id)) = std::move(tensor);
    }
    at::manual_seed(draw_seed);
    return ok();
  };
  TRY_VOID(guarded("the inputs", place));
  TRY_VOID(execute(program_, values, noise));
  std::vector<at::Tensor> results;
  for (const ValueId kept : kept_) {
    results.push_back(values.at(static_cast<std::size_t>(kept.id)));
    if (!results.back().defined()) {
      return Error(Code::kInvalid, "the graph never makes its result " + std::to_string(kept.id));
    }
  }
  return results;
}

}  // namespace kvgen::referee
