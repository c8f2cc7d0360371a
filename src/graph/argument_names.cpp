#include "graph/argument_names.h"

#include <algorithm>
#include <array>

namespace kvgen {
namespace {

struct Row {
  std::string_view op;         // with its overload
  std::string_view arguments;  // in the order of torch's schema, one space between
};

constexpr std::array<Row, 82> kRows = {{
    {"aten::softmax.int", "self dim dtype"},
    {"aten::log_softmax.int", "self dim dtype"},
    {"aten::sum", "self dtype"},
    {"aten::sum.dim_IntList", "self dim keepdim dtype"},
    {"aten::mean", "self dtype"},
    {"aten::mean.dim", "self dim keepdim dtype"},
    {"aten::max.dim", "self dim keepdim"},
    {"aten::min.dim", "self dim keepdim"},
    {"aten::amax", "self dim keepdim"},
    {"aten::amin", "self dim keepdim"},
    {"aten::argmax", "self dim keepdim"},
    {"aten::argmin", "self dim keepdim"},
    {"aten::prod.dim_int", "self dim keepdim dtype"},
    {"aten::logsumexp", "self dim keepdim"},
    {"aten::cumsum", "self dim dtype"},
    {"aten::cumprod", "self dim dtype"},
    {"aten::layer_norm", "input normalized_shape weight bias eps cudnn_enable"},
    {"aten::rms_norm", "input normalized_shape weight eps"},
    {"aten::group_norm", "input num_groups weight bias eps cudnn_enabled"},
    {"aten::batch_norm",
     "input weight bias running_mean running_var training momentum eps cudnn_enabled"},
    {"aten::instance_norm",
     "input weight bias running_mean running_var use_input_stats momentum eps cudnn_enabled"},
    {"aten::linalg_vector_norm", "self ord dim keepdim dtype"},
    {"aten::norm.ScalarOpt_dim", "self p dim keepdim"},
    {"aten::transpose.int", "self dim0 dim1"},
    {"aten::permute", "self dims"},
    {"aten::view", "self size"},
    {"aten::reshape", "self shape"},
    {"aten::expand", "self size implicit"},
    {"aten::unsqueeze", "self dim"},
    {"aten::squeeze.dim", "self dim"},
    {"aten::flatten.using_ints", "self start_dim end_dim"},
    {"aten::slice.Tensor", "self dim start end step"},
    {"aten::select.int", "self dim index"},
    {"aten::narrow", "self dim start length"},
    {"aten::split.Tensor", "self split_size dim"},
    {"aten::chunk", "self chunks dim"},
    {"aten::cat", "tensors dim"},
    {"aten::stack", "tensors dim"},
    {"aten::flip", "self dims"},
    {"aten::roll", "self shifts dims"},
    {"aten::topk", "self k dim largest sorted"},
    {"aten::sort", "self dim descending"},
    {"aten::leaky_relu", "self negative_slope"},
    {"aten::elu", "self alpha scale input_scale"},
    {"aten::celu", "self alpha"},
    {"aten::hardtanh", "self min_val max_val"},
    {"aten::clamp", "self min max"},
    {"aten::clamp_min", "self min"},
    {"aten::clamp_max", "self max"},
    {"aten::softplus", "self beta threshold"},
    {"aten::threshold", "self threshold value"},
    {"aten::gelu", "self approximate"},
    {"aten::dropout", "input p train"},
    {"aten::masked_fill.Scalar", "self mask value"},
    {"aten::tril", "self diagonal"},
    {"aten::triu", "self diagonal"},
    {"aten::pad", "self pad mode value"},
    {"aten::conv1d", "input weight bias stride padding dilation groups"},
    {"aten::conv2d", "input weight bias stride padding dilation groups"},
    {"aten::conv3d", "input weight bias stride padding dilation groups"},
    {"aten::conv_transpose1d", "input weight bias stride padding output_padding groups dilation"},
    {"aten::conv_transpose2d.input",
     "input weight bias stride padding output_padding groups dilation"},
    {"aten::conv_transpose3d.input",
     "input weight bias stride padding output_padding groups dilation"},
    {"aten::max_pool1d", "self kernel_size stride padding dilation ceil_mode"},
    {"aten::max_pool2d", "self kernel_size stride padding dilation ceil_mode"},
    {"aten::max_pool3d", "self kernel_size stride padding dilation ceil_mode"},
    {"aten::avg_pool1d", "self kernel_size stride padding ceil_mode count_include_pad"},
    {"aten::avg_pool2d",
     "self kernel_size stride padding ceil_mode count_include_pad divisor_override"},
    {"aten::avg_pool3d",
     "self kernel_size stride padding ceil_mode count_include_pad divisor_override"},
    {"aten::adaptive_avg_pool1d", "self output_size"},
    {"aten::adaptive_avg_pool2d", "self output_size"},
    {"aten::adaptive_avg_pool3d", "self output_size"},
    {"aten::scaled_dot_product_attention",
     "query key value attn_mask dropout_p is_causal scale enable_gqa"},
    {"aten::gru.input",
     "input hx params has_biases num_layers dropout train bidirectional batch_first"},
    {"aten::lstm.input",
     "input hx params has_biases num_layers dropout train bidirectional batch_first"},
    {"aten::embedding", "weight indices padding_idx scale_grad_by_freq sparse"},
    {"aten::one_hot", "self num_classes"},
    {"aten::repeat", "self repeats"},
    {"aten::unfold", "self dimension size step"},
    {"aten::unflatten.int", "self dim sizes"},
    {"aten::var.correction", "self dim correction keepdim"},
    {"aten::std.correction", "self dim correction keepdim"},
}};

}  // namespace

std::string_view argument_name(const Node& node, std::size_t position) {
  const std::string op = node.full_name();
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.op == op; });
  if (row == kRows.end()) return "";
  std::string_view left = row->arguments;
  for (; position > 0 && !left.empty(); --position) {
    left.remove_prefix(std::min(left.find(' '), left.size() - 1) + 1);
  }
  return left.substr(0, left.find(' '));
}

}  // namespace kvgen
