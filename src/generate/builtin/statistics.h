#pragma once

#include <vector>

#include "generate/builtin/builder.h"

namespace kvgen::builtin {

// Composites that several rules share. All keep the reduced dimensions as 1.
int mean_over(Builder& b, int id, const std::vector<int>& dims);

// Two passes: the mean first, then the mean square of what is left.
int variance_over(Builder& b, int id, const std::vector<int>& dims, int correction);

// The largest element is taken out first unless it is infinite, as torch does.
int logsumexp_over(Builder& b, int id, const std::vector<int>& dims);

// How many elements the dims hold.
Size count_over(Builder& b, int id, const std::vector<int>& dims);

}  // namespace kvgen::builtin
