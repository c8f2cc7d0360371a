#include "generate/builtin/fold.h"

namespace kvgen::builtin {

FoldText fold_text(const Program& program, int id) {
  const Node& node = program[id];
  const DType dtype = program[node.inputs[0]].dtype;
  const std::string type = compute_type(dtype);
  const bool real = is_floating(dtype);
  const std::string lowest = real ? "-INFINITY" : "std::numeric_limits<" + type + ">::lowest()";
  FoldText text;
  switch (node.fold) {
    case Fold::kSum:
      text = {"Sum", "0", type, {}};
      break;
    case Fold::kProduct:
      text = {"Product", "1", type, {}};
      break;
    case Fold::kMax:
      text = {"Max", lowest, type, {}};
      break;
    case Fold::kMin:
      text = {"Min", real ? "INFINITY" : "std::numeric_limits<" + type + ">::max()", type, {}};
      break;
    case Fold::kLogAddExp:
      text = {"LogAddExp", lowest, type, {}};
      break;
  }
  if (node.arg) {
    const bool last = node.kind == Kind::kScan;
    text.functor = "Arg" + text.functor + (last ? "Last" : "");
    text.start = "{" + text.start + (last ? ", -1}" : ", INT64_MAX}");
    text.type = "Arg<" + type + ">";
    text.helpers.insert("Arg");
  }
  text.helpers.insert(text.functor);
  return text;
}

}  // namespace kvgen::builtin
