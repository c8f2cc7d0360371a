#include "generate/builtin/fold.h"

namespace kvgen::builtin {
namespace {

std::string filled(const std::string& pattern, const std::string& value) {
  std::string text = pattern;
  for (std::size_t at = 0; (at = text.find("$0", at)) != std::string::npos; at += value.size()) {
    text.replace(at, 2, value);
  }
  return text;
}

}  // namespace

std::string FoldText::of_element(const std::string& value) const { return filled(term, value); }
std::string FoldText::of_folded(const std::string& value) const { return filled(result, value); }

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
      text = {"LogAddExp", "{-INFINITY, 0}", "LogSum<" + type + ">", {"LogSum"}};
      text.term = text.type + "{$0, 1}";
      text.result = "(" + type + ")($0.top + log($0.sum))";
      text.lanes = "_log_sum";
      break;
  }
  if (node.arg) {
    const bool last = node.kind == Kind::kScan;
    text.functor = "Arg" + text.functor + (last ? "Last" : "");
    text.start = "{" + text.start + (last ? ", -1}" : ", INT64_MAX}");
    text.type = "Arg<" + type + ">";
    text.helpers.insert("Arg");
    text.term = text.type + "{$0, (int64_t)col}";
    text.result = "$0.at";
    text.lanes = "_arg";
  }
  text.helpers.insert(text.functor);
  return text;
}

}  // namespace kvgen::builtin
