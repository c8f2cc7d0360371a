#include "generate/builtin/ir.h"

namespace kvgen::builtin {
namespace {

// Reshapes are taken apart at every boundary that both shapes share, so that
// untouched dimensions keep their plain index.
Indices through_reshape(const Sizes& from, const Sizes& to, const Indices& indices,
                        std::size_t variants) {
  Indices result(from.size(), zero());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size() || j < to.size()) {
    Sizes in_part;
    Sizes out_part;
    Indices out_indices;
    const std::size_t first = i;
    Size in_product = number(1, variants);
    Size out_product = number(1, variants);
    const auto take_in = [&] {
      in_product = in_product * from[i];
      in_part.push_back(from[i++]);
    };
    const auto take_out = [&] {
      out_product = out_product * to[j];
      out_part.push_back(to[j]);
      out_indices.push_back(indices[j++]);
    };
    if (i < from.size()) take_in();
    if (j < to.size()) take_out();
    while (!same(in_product, out_product) && (i < from.size() || j < to.size())) {
      const bool need_in = in_product.at[0] < out_product.at[0] && i < from.size();
      if (need_in || j == to.size()) {
        take_in();
      } else {
        take_out();
      }
    }
    const Index position = flatten(out_indices, out_part);
    const Indices part = unflatten(position, in_part, variants);
    for (std::size_t k = 0; k < part.size(); ++k) result[first + k] = part[k];
  }
  return result;
}

}  // namespace

Indices through_view(const Program& program, const Node& view, const Indices& indices) {
  const Node& input = program[view.inputs[0]];
  switch (view.view) {
    case ViewKind::kPermute: {
      Indices result(indices.size());
      for (std::size_t i = 0; i < indices.size(); ++i) {
        result[static_cast<std::size_t>(view.order[i])] = indices[i];
      }
      return result;
    }
    case ViewKind::kBroadcast: {
      const std::size_t added = view.shape.size() - input.shape.size();
      Indices result;
      for (std::size_t i = 0; i < input.shape.size(); ++i) {
        result.push_back(input.shape[i].all_ones() ? zero() : indices[i + added]);
      }
      return result;
    }
    case ViewKind::kReshape:
      return through_reshape(input.shape, view.shape, indices, program.variants);
    case ViewKind::kMap: {
      Indices result;
      for (const IndexFormula& map : view.maps) result.push_back(evaluated(map, indices));
      return result;
    }
  }
  return indices;
}

Index evaluated(const IndexFormula& what, const Indices& indices) {
  Indices inputs;
  for (const int dim : what.dims) inputs.push_back(indices[static_cast<std::size_t>(dim)]);
  if (what.index_node >= 0) inputs = {value_at(what.index_node, std::move(inputs))};
  return formula(what.text, std::move(inputs), what.sizes);
}

std::string compute_type(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "bool";
    case DType::kInt8:
      return "int8_t";
    case DType::kUInt8:
      return "uint8_t";
    case DType::kInt16:
      return "int16_t";
    case DType::kUInt16:
      return "uint16_t";
    case DType::kInt32:
      return "int32_t";
    case DType::kUInt32:
      return "uint32_t";
    case DType::kInt64:
      return "int64_t";
    case DType::kUInt64:
      return "uint64_t";
    case DType::kFloat64:
      return "double";
    default:
      return "float";
  }
}

std::string memory_type(DType dtype) {
  if (dtype == DType::kFloat16) return "_Float16";
  if (dtype == DType::kBFloat16) return "__hip_bfloat16";
  return compute_type(dtype);
}

}  // namespace kvgen::builtin
