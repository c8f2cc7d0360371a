#include "generate/builtin/call.h"

#include <algorithm>

namespace kvgen::builtin {
namespace {

std::optional<std::vector<std::int64_t>> as_integers(const Argument& argument) {
  if (const auto* single = argument.as<std::int64_t>()) return std::vector{*single};
  const auto* list = argument.as<ArgumentList>();
  if (list == nullptr) return std::nullopt;
  std::vector<std::int64_t> values;
  for (const Argument& item : *list) {
    const auto* value = item.as<std::int64_t>();
    if (value == nullptr) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

}  // namespace

std::string Call::short_op() const {
  const auto colon = op().rfind(':');
  return colon == std::string::npos ? op() : op().substr(colon + 1);
}

const Argument* Call::argument(std::size_t position, std::string_view name,
                               std::size_t variant) const {
  const kvgen::Node& node = *nodes_[variant];
  if (position < node.args.size()) {
    return node.args[position].is_null() ? nullptr : &node.args[position];
  }
  for (const auto& [keyword, value] : node.kwargs) {
    if (keyword == name) return value.is_null() ? nullptr : &value;
  }
  return nullptr;
}

std::optional<std::int64_t> Call::integer(std::size_t position, std::string_view name,
                                          std::int64_t fallback) const {
  std::optional<std::int64_t> common;
  for (std::size_t v = 0; v < variants(); ++v) {
    const Argument* found = argument(position, name, v);
    std::int64_t value = fallback;
    if (found != nullptr) {
      const auto* integer = found->as<std::int64_t>();
      if (integer == nullptr) return std::nullopt;
      value = *integer;
    }
    if (common && *common != value) return std::nullopt;
    common = value;
  }
  return common;
}

std::optional<bool> Call::boolean(std::size_t position, std::string_view name,
                                  bool fallback) const {
  std::optional<bool> common;
  for (std::size_t v = 0; v < variants(); ++v) {
    const Argument* found = argument(position, name, v);
    bool value = fallback;
    if (found != nullptr) {
      const auto* truth = found->as<bool>();
      if (truth == nullptr) return std::nullopt;
      value = *truth;
    }
    if (common && *common != value) return std::nullopt;
    common = value;
  }
  return common;
}

std::optional<std::vector<std::int64_t>> Call::integers(std::size_t position,
                                                        std::string_view name) const {
  std::optional<std::vector<std::int64_t>> common;
  for (std::size_t v = 0; v < variants(); ++v) {
    const Argument* found = argument(position, name, v);
    if (found == nullptr) return std::nullopt;
    auto values = as_integers(*found);
    if (!values || (common && *common != *values)) return std::nullopt;
    common = std::move(values);
  }
  return common;
}

std::optional<std::string> Call::text(std::size_t position, std::string_view name,
                                      std::string fallback) const {
  std::optional<std::string> common;
  for (std::size_t v = 0; v < variants(); ++v) {
    const Argument* found = argument(position, name, v);
    std::string value = fallback;
    if (found != nullptr) {
      const auto* text = found->as<std::string>();
      if (text == nullptr) return std::nullopt;
      value = *text;
    }
    if (common && *common != value) return std::nullopt;
    common = std::move(value);
  }
  return common;
}

std::optional<Call::Number> Call::number_at(std::size_t position, std::string_view name) const {
  Number number;
  for (std::size_t v = 0; v < variants(); ++v) {
    const Argument* found = argument(position, name, v);
    if (found == nullptr) return std::nullopt;
    if (const auto* integer = found->as<std::int64_t>()) {
      number.at.push_back(static_cast<double>(*integer));
      number.integers.push_back(*integer);
    } else if (const auto* real = found->as<double>()) {
      number.at.push_back(*real);
    } else if (const auto* truth = found->as<bool>()) {
      number.at.push_back(*truth ? 1 : 0);
      number.integers.push_back(*truth ? 1 : 0);
    } else {
      return std::nullopt;
    }
  }
  if (number.integers.size() != number.at.size()) number.integers.clear();
  return number;
}

std::optional<std::vector<std::int64_t>> Call::integer_in_each(std::size_t position,
                                                               std::string_view name,
                                                               int item) const {
  std::vector<std::int64_t> values;
  for (std::size_t v = 0; v < variants(); ++v) {
    const Argument* found = argument(position, name, v);
    if (found == nullptr) return std::nullopt;
    if (const auto* list = found->as<ArgumentList>()) {
      const std::size_t at = list->size() == 1 ? 0 : static_cast<std::size_t>(std::max(item, 0));
      if (item < 0 || at >= list->size()) return std::nullopt;
      found = &(*list)[at];
    }
    const auto* value = found->as<std::int64_t>();
    if (value == nullptr) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::size_t Call::length(std::size_t position, std::string_view name) const {
  std::size_t common = 0;
  for (std::size_t v = 0; v < variants(); ++v) {
    const Argument* found = argument(position, name, v);
    const auto* list = found == nullptr ? nullptr : found->as<ArgumentList>();
    if (list == nullptr || (v > 0 && list->size() != common)) return 0;
    common = list->size();
  }
  return common;
}

std::optional<std::vector<std::vector<std::int64_t>>> Call::shape(std::size_t output) const {
  std::vector<std::vector<std::int64_t>> dims;
  for (std::size_t v = 0; v < variants(); ++v) {
    const auto& metas = nodes_[v]->metas;
    if (output >= metas.size() || !metas[output]) return std::nullopt;
    const Shape& shape = metas[output]->shape;
    if (v == 0) dims.resize(shape.size());
    if (shape.size() != dims.size()) return std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) dims[i].push_back(shape[i]);
  }
  return dims;
}

std::optional<DType> Call::dtype(std::size_t output) const {
  const auto& metas = nodes_[0]->metas;
  if (output >= metas.size() || !metas[output]) return std::nullopt;
  return metas[output]->dtype;
}

}  // namespace kvgen::builtin
