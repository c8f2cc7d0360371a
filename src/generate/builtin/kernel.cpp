#include "generate/builtin/kernel.h"

#include <algorithm>
#include <cctype>

namespace kvgen::builtin {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string identifier(const std::string& name) {
  std::string clean;
  for (const char c : name) clean += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return clean;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

std::string Kernel::parameter(const std::string& key, const std::string& type, std::string name,
                              const Json& argument) {
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  while (std::find(names_.begin(), names_.end(), name) != names_.end()) name += "_";
  known_.emplace(key, name);
  names_.push_back(name);
  parameters_.push_back(type + name);
  arguments_.push_back(argument);
  return name;
}

std::string Kernel::size(const Size& size) {
  if (is_number(size.text)) return size.text;
  return parameter("size " + size.text, "I ", "n" + std::to_string(parameters_.size()),
                   {{"i64", size.text}});
}

std::string Kernel::tensor(const std::string& name, DType dtype, bool written) {
  const std::string type = (written ? "" : "const ") + memory_type(dtype) + "* __restrict__ ";
  return parameter("tensor " + name, type, "p_" + identifier(name), name);
}

std::string Kernel::scalar(const Node& scalar, DType computes_in) {
  const bool real = is_floating(computes_in);
  const std::string type = real ? compute_type(computes_in) : "int64_t";
  if (scalar.literal) {
    if (real) return type + "(" + scalar.expression + ")";
    return scalar.expression.starts_with("-") ? "(" + scalar.expression + ")" : scalar.expression;
  }
  const char* kind = !real ? "i64" : computes_in == DType::kFloat64 ? "f64" : "f32";
  return parameter("scalar " + type + scalar.expression, type + " ",
                   "s" + std::to_string(parameters_.size()), {{kind, scalar.expression}});
}

void Kernel::set_axes(std::vector<Axis> axes, std::map<int, Size> sizes) {
  axes_ = std::move(axes);
  sizes_ = std::move(sizes);
}

// The position along coordinates first..last of an axis, taken together.
std::string Kernel::run(const Axis& axis, std::size_t first, std::size_t last) {
  Size inner = number(1, variants_);
  Size span = inner;
  for (std::size_t i = 0; i < axis.coordinates.size(); ++i) {
    const Size& size_of_one = sizes_.at(axis.coordinates[i]);
    if (i > last) inner = inner * size_of_one;
    if (i >= first && i <= last) span = span * size_of_one;
  }
  std::string text = axis.variable;
  if (!inner.is_unit()) text += " / " + size(inner);
  bool outermost = true;
  for (std::size_t i = 0; i < first; ++i) {
    outermost = outermost && sizes_.at(axis.coordinates[i]).is_unit();
  }
  if (!outermost) text += " % " + size(span);
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

std::string Kernel::parts(const std::vector<Part>& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size();) {
    Size span = list[i].size;
    std::string piece;
    const Axis* axis = nullptr;
    std::size_t at = 0;
    for (const Axis& candidate : axes_) {
      const auto found = list[i].index->kind != IndexNode::Kind::kCoordinate
                             ? candidate.coordinates.end()
                             : std::find(candidate.coordinates.begin(), candidate.coordinates.end(),
                                         list[i].index->coordinate);
      if (found == candidate.coordinates.end()) continue;
      axis = &candidate;
      at = static_cast<std::size_t>(found - candidate.coordinates.begin());
    }
    std::size_t next = i + 1;
    if (axis == nullptr) {
      piece = index(list[i].index);
    } else {
      std::size_t last = at;
      // Coordinates of size 1 stand between neighbours without being in the list.
      while (next < list.size() && list[next].index->kind == IndexNode::Kind::kCoordinate) {
        std::size_t following = last + 1;
        while (following < axis->coordinates.size() &&
               sizes_.at(axis->coordinates[following]).is_unit()) {
          ++following;
        }
        if (following >= axis->coordinates.size() ||
            axis->coordinates[following] != list[next].index->coordinate ||
            !same(sizes_.at(axis->coordinates[following]), list[next].size)) {
          break;
        }
        last = following;
        span = span * list[next].size;
        ++next;
      }
      piece = run(*axis, at, last);
    }
    text = text.empty() ? piece : "(" + text + " * " + size(span) + " + " + piece + ")";
    i = next;
  }
  return text;
}

std::string Kernel::index(const Index& index) {
  using Kind = IndexNode::Kind;
  switch (index->kind) {
    case Kind::kZero:
      return "0";
    case Kind::kCoordinate:
      return parts({{index, sizes_.at(index->coordinate)}});
    case Kind::kLinear:
      return parts(index->parts);
    case Kind::kDigit: {
      std::string text = this->index(index->base);
      if (!index->inner.is_unit()) text += " / " + size(index->inner);
      if (!same(index->inner * index->size, index->total)) text += " % " + size(index->size);
      return "(" + text + ")";
    }
    case Kind::kFormula: {
      std::string text = "(";
      for (std::size_t i = 0; i < index->text.size(); ++i) {
        const char c = index->text[i];
        const auto number = [&] {
          std::size_t value = 0;
          while (i + 1 < index->text.size() && std::isdigit(index->text[i + 1]) != 0) {
            value = value * 10 + static_cast<std::size_t>(index->text[++i] - '0');
          }
          return value;
        };
        if (c == '$') {
          text += this->index(index->inputs[number()]);
        } else if (c == '#') {
          text += size(index->sizes[number()]);
        } else {
          text += c;
        }
      }
      return text + ")";
    }
    case Kind::kValue:
      return "(I)" + values_.at(index->key);
  }
  return "0";
}

std::string Kernel::signature() const {
  std::string text = "template <typename I>\n__global__ void " + name_ + "(";
  std::string line = text.substr(text.rfind('\n') + 1);
  text = text.substr(0, text.rfind('\n') + 1);
  const std::string indent(line.size(), ' ');
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const std::string piece = parameters_[i] + (i + 1 < parameters_.size() ? ", " : ")");
    if (line.size() + piece.size() > 98 && i > 0) {
      text += line.substr(0, line.size() - 1) + "\n";
      line = indent;
    }
    line += piece;
  }
  return text + line;
}

std::string fill_in(const std::string& formula, const std::vector<std::string>& inputs,
                    DType computes_in) {
  const std::string type = compute_type(computes_in);
  std::string text;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const char c = formula[i];
    const char next = i + 1 < formula.size() ? formula[i + 1] : '\0';
    if (c == '$') {
      text += inputs[static_cast<std::size_t>(next - '0')];
      ++i;
    } else if (c == '@') {
      if (computes_in != DType::kFloat64) text += 'f';
    } else if (c == 'T' && !is_word(next) && (i == 0 || !is_word(formula[i - 1]))) {
      text += type;
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace kvgen::builtin
