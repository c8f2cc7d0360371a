#include "generate/builtin/statistics.h"

#include <string>

namespace kvgen::builtin {

Size count_over(Builder& b, int id, const std::vector<int>& dims) {
  Size count = b.number(1);
  for (const int dim : dims) count = count * b.shape(id)[static_cast<std::size_t>(dim)];
  return count;
}

int mean_over(Builder& b, int id, const std::vector<int>& dims) {
  if (id < 0) return -1;
  const Size count = count_over(b, id, dims);
  const int total = b.reduce(Fold::kSum, id, dims);
  return b.pointwise("($0 / $1)", {total, b.size_scalar(count.text)}, b.dtype(id));
}

int variance_over(Builder& b, int id, const std::vector<int>& dims, int correction) {
  if (id < 0) return -1;
  const DType dtype = b.dtype(id);
  const Size count = count_over(b, id, dims);
  const int mean = mean_over(b, id, dims);
  const int rest = b.pointwise("($0 - $1)", {id, mean}, dtype);
  const int total = b.reduce(Fold::kSum, b.pointwise("($0 * $0)", {rest}, dtype), dims);
  const std::string divisor =
      correction == 0 ? count.text
                      : "max(0, " + count.text + " - " + std::to_string(correction) + ")";
  return b.pointwise("($0 / $1)", {total, b.size_scalar(divisor)}, dtype);
}

int logsumexp_over(Builder& b, int id, const std::vector<int>& dims) {
  if (id < 0) return -1;
  const DType dtype = b.dtype(id);
  const int top = b.reduce(Fold::kMax, id, dims);
  const int shift = b.pointwise("(isinf($0) ? T(0) : $0)", {top}, dtype);
  const int powers = b.pointwise("exp@($0 - $1)", {id, shift}, dtype);
  const int total = b.reduce(Fold::kSum, powers, dims);
  return b.pointwise("(log@($0) + $1)", {total, shift}, dtype);
}

}  // namespace kvgen::builtin
