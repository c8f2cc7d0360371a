#include "referee/operators.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

namespace kvgen::referee {
namespace {

// Names without "aten::"; an in-place form ("add_") is allowed with its plain one.
constexpr std::string_view kExact =
    // views and copies
    "alias as_strided broadcast_tensors broadcast_to chunk clone contiguous copy detach diagonal "
    "expand expand_as flatten lift_fresh lift_fresh_copy matrix_H mT mH movedim moveaxis narrow "
    "numpy_T permute positive ravel reshape reshape_as resolve_conj resolve_neg rot90 select "
    "slice split split_with_sizes squeeze swapaxes swapdims t to transpose tensor_split type_as "
    "unbind unflatten unfold unsafe_chunk unsafe_split unsqueeze view view_as view_as_complex "
    "view_as_real _reshape_alias _to_copy _unsafe_view real imag conj hsplit vsplit dsplit T "
    "diagonal_copy diag diag_embed diagflat expand_copy permute_copy select_copy slice_copy "
    "squeeze_copy transpose_copy unsqueeze_copy view_copy float double half bfloat16 long int "
    "channel_shuffle native_channel_shuffle pixel_shuffle pixel_unshuffle "
    // assembling, indexing
    "cat concat concatenate stack hstack vstack dstack column_stack row_stack block_diag flip "
    "fliplr flipud roll repeat repeat_interleave tile pad constant_pad_nd reflection_pad1d "
    "reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d replication_pad3d "
    "_pad_circular _pad_enum zero fill fill_diagonal index index_select index_fill index_copy "
    "index_put _index_put_impl _unsafe_index gather take take_along_dim masked_fill masked_select "
    "masked_scatter scatter select_scatter slice_scatter diagonal_scatter put nonzero argwhere "
    "embedding im2col combinations cartesian_prod meshgrid tril triu tril_indices triu_indices "
    "unique_dim _unique2 one_hot bucketize searchsorted upsample_nearest1d upsample_nearest2d "
    "upsample_nearest3d _upsample_nearest_exact1d _upsample_nearest_exact2d "
    "_upsample_nearest_exact3d channel_slice "
    // choices
    "where max min maximum minimum fmax fmin amax amin aminmax argmax argmin argsort sort msort "
    "topk kthvalue median nanmedian mode cummax cummin max_pool1d max_pool2d max_pool3d "
    "max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices adaptive_max_pool1d "
    "adaptive_max_pool2d adaptive_max_pool3d max_unpool2d max_unpool3d fractional_max_pool2d clamp "
    "clamp_min clamp_max clip relu relu6 hardtanh threshold abs absolute neg negative sign signbit "
    "sgn floor ceil round trunc fix heaviside nan_to_num copysign frac ldexp "
    // logic and integers
    "eq ne lt le gt ge equal greater greater_equal less less_equal not_equal logical_and "
    "logical_not logical_or logical_xor bitwise_and bitwise_not bitwise_or bitwise_xor "
    "bitwise_left_shift bitwise_right_shift __and__ __or__ __xor__ __lshift__ __rshift__ isnan "
    "isinf isfinite isposinf isneginf isreal isclose allclose any all count_nonzero floor_divide "
    "isin bincount histc "
    // factories, and calls that only look
    "arange zeros zeros_like ones ones_like full full_like empty empty_like empty_strided "
    "empty_permuted new_empty new_empty_strided new_full new_ones new_zeros eye scalar_tensor "
    "linspace logspace hann_window hamming_window blackman_window bartlett_window kaiser_window "
    "_assert_tensor_metadata _assert_async is_nonzero size stride numel dim sym_size sym_numel "
    "sym_stride is_floating_point is_complex _local_scalar_dense item";

constexpr std::string_view kPointwise =
    "add sub rsub subtract mul multiply div divide true_divide remainder fmod square sqrt "
    "rsqrt reciprocal exp exp2 expm1 log log2 log10 log1p sigmoid log_sigmoid "
    "log_sigmoid_forward sin cos sinc polygamma mvlgamma hypot logaddexp logaddexp2 xlogy "
    "special_xlogy special_xlog1py special_expit special_expm1 special_exp2 special_log1p "
    "special_log_softmax special_softmax special_logsumexp special_logit special_sinc "
    "special_entr special_i0 special_i0e special_i1 special_i1e special_ndtr special_round "
    "i0 logit lerp addcmul addcdiv deg2rad rad2deg angle gelu silu mish elu selu celu "
    "softplus softsign softshrink hardshrink hardsigmoid hardswish leaky_relu prelu "
    "_prelu_kernel rrelu glu softmax log_softmax _softmax _log_softmax softmin _safe_softmax "
    "logcumsumexp _logcumsumexp logsumexp layer_norm native_layer_norm group_norm "
    "native_group_norm batch_norm native_batch_norm _native_batch_norm_legit "
    "_native_batch_norm_legit_no_training _batch_norm_impl_index instance_norm rms_norm "
    "_fused_rms_norm local_response_norm norm linalg_norm linalg_vector_norm "
    "linalg_matrix_norm frobenius_norm nuclear_norm renorm normalize std var std_mean "
    "var_mean cosine_similarity pairwise_distance cdist _cdist_forward _euclidean_dist pdist "
    "dist scaled_dot_product_attention _scaled_dot_product_attention_math "
    "_scaled_dot_product_flash_attention_for_cpu _native_multi_head_attention gru lstm "
    "rnn_tanh rnn_relu gru_cell lstm_cell rnn_tanh_cell rnn_relu_cell mse_loss l1_loss "
    "smooth_l1_loss huber_loss soft_margin_loss margin_ranking_loss hinge_embedding_loss "
    "cosine_embedding_loss triplet_margin_loss multi_margin_loss multilabel_margin_loss "
    "multilabel_margin_loss_forward poisson_nll_loss gaussian_nll_loss binary_cross_entropy "
    "binary_cross_entropy_with_logits cross_entropy_loss kl_div upsample_bilinear2d "
    "_upsample_bilinear2d_aa upsample_linear1d upsample_trilinear3d upsample_bicubic2d "
    "_upsample_bicubic2d_aa grid_sampler grid_sampler_2d grid_sampler_3d "
    "affine_grid_generator quantile nanquantile cross linalg_cross cov corrcoef trapezoid "
    "cumulative_trapezoid diff gradient polar complex fake_quantize_per_tensor_affine "
    "lp_pool1d lp_pool2d linalg_qr linalg_inv linalg_inv_ex linalg_solve linalg_cholesky "
    "linalg_det "
    "unbind_copy _weight_norm _weight_norm_interface dropout alpha_dropout feature_dropout "
    "native_dropout";

constexpr std::string_view kFunction =
    "erf erfc erfinv tanh sinh cosh tan asin acos atan atan2 arctan2 arcsin arccos arctan "
    "asinh acosh atanh arcsinh arccosh arctanh lgamma digamma pow float_power special_erf "
    "special_erfc special_erfinv special_erfcx special_gammaln special_digamma special_psi "
    "tanhshrink";

constexpr std::string_view kSum =
    "mm bmm addmm addbmm baddbmm addmv addr mv dot vdot inner outer ger matmul linear bilinear "
    "_trilinear einsum tensordot chain_matmul linalg_multi_dot kron trace convolution _convolution "
    "conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d "
    "conv_depthwise3d "
    "_conv_depthwise2d mkldnn_convolution thnn_conv2d _slow_conv2d_forward slow_conv3d_forward "
    "slow_conv_transpose2d slow_conv_transpose3d sum nansum mean nanmean cumsum avg_pool1d "
    "avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d "
    "_adaptive_avg_pool2d _adaptive_avg_pool3d nll_loss nll_loss2d nll_loss_nd nll_loss_forward "
    "nll_loss2d_forward embedding_bag _embedding_bag _embedding_bag_forward_only index_add "
    "index_reduce scatter_add scatter_reduce segment_reduce col2im fft_fft fft_ifft fft_rfft "
    "fft_irfft fft_fft2 fft_ifft2 fft_rfft2 fft_irfft2 _fft_r2c _fft_c2r _fft_c2c stft "
    "linalg_matmul sum_to_size matrix_power linalg_matrix_power";

constexpr std::string_view kProduct = "prod cumprod";

constexpr std::string_view kRandom =
    "rand rand_like randn randn_like randint randint_like randperm normal uniform bernoulli "
    "exponential cauchy log_normal geometric poisson multinomial random trunc_normal";

class Table {
 public:
  Table() {
    add(kExact, Rounding::kExact);
    add(kPointwise, Rounding::kPointwise);
    add(kFunction, Rounding::kFunction);
    add(kSum, Rounding::kSum);
    add(kProduct, Rounding::kProduct);
    add(kRandom, Rounding::kRandom);
  }

  [[nodiscard]] std::optional<Rounding> find(std::string_view op) const {
    constexpr std::string_view space = "aten::";
    if (!op.starts_with(space)) return std::nullopt;
    op.remove_prefix(space.size());
    if (auto row = rows_.find(op); row != rows_.end()) return row->second;
    if (op.ends_with('_') && !op.ends_with("__")) {
      op.remove_suffix(1);
      if (auto row = rows_.find(op); row != rows_.end()) return row->second;
    }
    return std::nullopt;
  }

 private:
  void add(std::string_view names, Rounding rounding) {
    while (!names.empty()) {
      const std::size_t end = std::min(names.find(' '), names.size());
      rows_.emplace(names.substr(0, end), rounding);
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }

  std::unordered_map<std::string_view, Rounding> rows_;
};

const Table& table() {
  static const Table instance;
  return instance;
}

}  // namespace

std::optional<Rounding> allowed(std::string_view op) { return table().find(op); }

Rounding rounding_of(std::string_view op) {
  return table().find(op).value_or(Rounding::kPointwise);
}

bool leaves_memory_unwritten(std::string_view op) {
  constexpr std::array kNames = {"aten::empty",         "aten::empty_like",
                                 "aten::empty_strided", "aten::empty_permuted",
                                 "aten::new_empty",     "aten::new_empty_strided"};
  return std::find(kNames.begin(), kNames.end(), op) != kNames.end();
}

}  // namespace kvgen::referee
