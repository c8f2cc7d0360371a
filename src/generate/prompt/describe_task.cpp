#include "generate/prompt/describe_task.h"

#include "generate/prompt/fence.h"
#include "kvgen/graph/short_form.h"

namespace kvgen::generate {
namespace {

constexpr std::size_t kLargestGraph = 128UL << 10;

std::string role_text(const TensorSpec& spec) {
  switch (spec.role) {
    case TensorRole::kInput:
      return "input, read only";
    case TensorRole::kParameter:
      return "parameter, read only";
    case TensorRole::kBuffer:
      return "buffer of the module, read only";
    case TensorRole::kConstant:
      return "constant, read only";
    case TensorRole::kOutput:
      return "output, starts as garbage";
    case TensorRole::kInPlace:
      return "updated in place, starts as a copy";
  }
  return "";
}

std::string tensors_text(const Variant& variant) {
  std::string text;
  for (const TensorSpec& spec : variant.tensors()) {
    text += "- `" + one_line(spec.name, 200) + "`: " + std::string(to_string(spec.dtype)) +
            to_text(spec.shape) + ", " + role_text(spec) + "\n";
  }
  return text;
}

std::string symbols_text(const Variant& variant) {
  std::string text;
  for (const Symbol& symbol : variant.symbols) {
    text += "- `" + one_line(symbol.name, 200) + "` = ";
    if (const auto* whole = std::get_if<std::int64_t>(&symbol.value)) {
      text += std::to_string(*whole) + " (integer)\n";
    } else {
      text += to_line(finite_or_null(std::get<double>(symbol.value))) + " (real)\n";
    }
  }
  return text;
}

// The other shapes that the same plan must run at.
std::string sizes_text(const Task& task) {
  std::string text;
  for (std::size_t i = 1; i < task.variants.size(); ++i) {
    const Variant& variant = task.variants[i];
    text += "- " + one_line(variant.name, 50) + ":";
    for (const GraphInput& input : variant.graph.inputs) {
      if (input.spec.role != TensorRole::kInput) continue;
      text += " " + one_line(input.spec.name, 100) + to_text(input.spec.shape);
    }
    text += "\n";
  }
  return text;
}

std::string graph_text(const Variant& variant) {
  std::string text = short_form(variant.graph, variant.symbols);
  if (text.size() > kLargestGraph) {
    text.resize(text.rfind('\n', kLargestGraph) + 1);
    text += "... and further calls, as the source says\n";
  }
  return fenced("", text);
}

}  // namespace

TemplateValues describe_task(const Task& task) {
  const Variant& variant = task.variants.front();
  std::string notes;
  for (const std::string& note : task.notes) notes += "- " + one_line(note, 300) + "\n";
  return {{"name", one_line(task.name, 100)},
          {"source", fenced("python", task.source)},
          {"tensors", tensors_text(variant)},
          {"symbols", symbols_text(variant)},
          {"graph", graph_text(variant)},
          {"sizes", sizes_text(task)},
          {"notes", notes}};
}

}  // namespace kvgen::generate
