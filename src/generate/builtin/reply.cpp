#include "generate/builtin/emit.h"

namespace kvgen::builtin {
namespace {

struct Helper {
  const char* name;
  const char* text;
};

constexpr Helper kHelpers[] = {
    {"Sum", R"(struct Sum {
  template <typename T>
  static __device__ T of(T a, T b) { return a + b; }
};
)"},
    {"Product", R"(struct Product {
  template <typename T>
  static __device__ T of(T a, T b) { return a * b; }
};
)"},
    {"Max", R"(// NaN wins.
struct Max {
  template <typename T>
  static __device__ T of(T a, T b) { return b > a || b != b ? b : a; }
};
)"},
    {"Min", R"(// NaN wins.
struct Min {
  template <typename T>
  static __device__ T of(T a, T b) { return b < a || b != b ? b : a; }
};
)"},
    {"Arg", R"(// A value and its place; of equal ones, the first.
template <typename T>
struct Arg {
  T value;
  int64_t at;
};
)"},
    {"ArgMax", R"(// NaN wins.
struct ArgMax {
  template <typename T>
  static __device__ Arg<T> of(Arg<T> a, Arg<T> b) {
    const bool same = a.value == b.value || (a.value != a.value && b.value != b.value);
    const bool more = b.value > a.value || (b.value != b.value && a.value == a.value);
    return more || (same && b.at < a.at) ? b : a;
  }
};
)"},
    {"ArgMin", R"(// NaN wins.
struct ArgMin {
  template <typename T>
  static __device__ Arg<T> of(Arg<T> a, Arg<T> b) {
    const bool same = a.value == b.value || (a.value != a.value && b.value != b.value);
    const bool less = b.value < a.value || (b.value != b.value && a.value == a.value);
    return less || (same && b.at < a.at) ? b : a;
  }
};
)"},
    {"LogSum", R"(// The largest value, and the sum of all exponentials over its own.
template <typename T>
struct LogSum {
  T top;
  double sum;
};
)"},
    {"LogAddExp", R"(struct LogAddExp {
  template <typename T>
  static __device__ LogSum<T> of(LogSum<T> a, LogSum<T> b) {
    if (a.top == b.top) return {a.top, a.sum + b.sum};
    const T top = a.top > b.top || a.top != a.top ? a.top : b.top;
    return {top, a.sum * exp(a.top - top) + b.sum * exp(b.top - top)};
  }
};
)"},
    {"ArgMaxLast", R"(// NaN wins; of equal ones, the last.
struct ArgMaxLast {
  template <typename T>
  static __device__ Arg<T> of(Arg<T> a, Arg<T> b) {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    return b.value >= a.value || b.value != b.value ? b : a;
  }
};
)"},
    {"ArgMinLast", R"(// NaN wins; of equal ones, the last.
struct ArgMinLast {
  template <typename T>
  static __device__ Arg<T> of(Arg<T> a, Arg<T> b) {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    return b.value <= a.value || b.value != b.value ? b : a;
  }
};
)"},
    {"lane_up", R"(template <typename T>
__device__ T lane_up(T value, int step) { return __shfl_up(value, step); }
)"},
    {"lane_up_arg", R"(template <typename T>
__device__ Arg<T> lane_up(Arg<T> value, int step) {
  return {__shfl_up(value.value, step), __shfl_up(value.at, step)};
}
)"},
    {"lane_up_log_sum", R"(template <typename T>
__device__ LogSum<T> lane_up(LogSum<T> value, int step) {
  return {__shfl_up(value.top, step), __shfl_up(value.sum, step)};
}
)"},
    {"block_scan",
     R"(// The fold of `carry` and the values of all threads up to this one; then `carry`
// holds that of all. The block is a whole number of waves.
template <typename Fold, typename T>
__device__ T block_scan(T value, T& carry) {
  __shared__ T waves[32];
  const int lane = threadIdx.x % warpSize;
  const int wave = threadIdx.x / warpSize;
  for (int step = 1; step < warpSize; step *= 2) {
    const T below = lane_up(value, step);
    if (lane >= step) value = Fold::of(below, value);
  }
  if (lane == warpSize - 1) waves[wave] = value;
  __syncthreads();
  T before = carry;
  for (int other = 0; other < (int)blockDim.x / warpSize; ++other) {
    if (other == wave) before = carry;
    carry = Fold::of(carry, waves[other]);
  }
  __syncthreads();
  return Fold::of(before, value);
}
)"},
    {"Ascending", R"(// Whether a stands before b; NaN counts as the largest, equal ones by place.
struct Ascending {
  template <typename T>
  static __device__ bool of(T a, int64_t at_a, T b, int64_t at_b) {
    if (a == b || (a != a && b != b)) return at_a < at_b;
    return a < b || (b != b && a == a);
  }
};
)"},
    {"Descending", R"(// Whether a stands before b; NaN counts as the largest, equal ones by place.
struct Descending {
  template <typename T>
  static __device__ bool of(T a, int64_t at_a, T b, int64_t at_b) {
    if (a == b || (a != a && b != b)) return at_a < at_b;
    return a > b || (a != a && b == b);
  }
};
)"},
    {"lane_xor", R"(template <typename T>
__device__ T lane_xor(T value, int step) { return __shfl_xor(value, step); }
)"},
    {"lane_xor_arg", R"(template <typename T>
__device__ Arg<T> lane_xor(Arg<T> value, int step) {
  return {__shfl_xor(value.value, step), __shfl_xor(value.at, step)};
}
)"},
    {"block_fold",
     R"(// Combines one value of every thread; all threads get the result. The block is
// a whole number of waves.
template <typename Fold, typename T>
__device__ T block_fold(T value) {
  __shared__ T waves[32];
  for (int step = warpSize / 2; step > 0; step /= 2) {
    value = Fold::of(value, lane_xor(value, step));
  }
  const int count = (int)blockDim.x / warpSize;
  if (count == 1) return value;
  __syncthreads();
  if (threadIdx.x % warpSize == 0) waves[threadIdx.x / warpSize] = value;
  __syncthreads();
  value = waves[0];
  for (int wave = 1; wave < count; ++wave) value = Fold::of(value, waves[wave]);
  return value;
}
)"},
};

const char* form_text(Group::Form form) {
  switch (form) {
    case Group::Form::kPointwise:
      return "one thread an element";
    case Group::Form::kRow:
      return "reductions and what follows from them, row by row";
    case Group::Form::kScan:
      return "running folds along a dimension, with their epilogue";
    case Group::Form::kSort:
      return "the order of a row, found in LDS";
    case Group::Form::kMatmul:
      return "a tiled matrix product with its epilogue";
  }
  return "";
}

}  // namespace

std::string helper_source(const std::set<std::string>& names) {
  std::string source;
  for (const Helper& helper : kHelpers) {
    if (names.contains(helper.name)) source += std::string(helper.text) + "\n";
  }
  return source;
}

std::string reply_text(const Program& program, const Schedule& schedule, const Emitted& emitted) {
  Json plan = {{"plan", 1}, {"run", emitted.steps}};
  for (const auto& [name, text] : program.lets) plan["let"][name] = text;
  for (const Buffer& buffer : schedule.buffers) {
    Json shape = Json::array();
    for (const Size& size : buffer.shape) shape.push_back(size.text);
    plan["buffers"][buffer.name] = {{"dtype", to_string(buffer.dtype)}, {"shape", shape}};
  }
  std::string text = "The module lowers to " + std::to_string(program.nodes.size()) +
                     " primitive steps, which fuse into " + std::to_string(schedule.order.size()) +
                     " kernel" + (schedule.order.size() == 1 ? "" : "s") + ":\n";
  for (std::size_t k = 0; k < schedule.order.size(); ++k) {
    const Group& group = schedule.groups[static_cast<std::size_t>(schedule.order[k])];
    text += "- kernel " + std::to_string(k) + ": " + form_text(group.form) + ".\n";
  }
  std::string source = helper_source(emitted.helpers) + emitted.source;
  while (source.ends_with("\n")) source.pop_back();
  return text + "\n```hip\n" + source + "\n```\n\n```json\n" + plan.dump(1) + "\n```\n";
}

}  // namespace kvgen::builtin
