#pragma once

#include "generate/builtin/builder.h"

namespace kvgen::builtin {

// Windows that slide along the last dimensions of a tensor; one entry for each
// of these dimensions.
struct Windows {
  Sizes kernel;
  Sizes stride;
  Sizes before;  // padding
  Sizes after;
  Sizes dilation;

  [[nodiscard]] std::size_t rank() const { return kernel.size(); }
};

// How many windows fit along each dimension. With `ceil`, a last one may hang
// over the end as long as it starts inside the input or the padding before it.
Sizes window_counts(Builder& b, int id, const Windows& windows, bool ceil = false);

// [leading..., kernel..., counts...]: the elements under each window, `fill`
// where it covers padding.
int windows_of(Builder& b, int id, const Windows& windows, const Sizes& counts, int fill);

}  // namespace kvgen::builtin
