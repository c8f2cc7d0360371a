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
    {"block_fold",
     R"(// Combines one value of every thread; all threads get the result. The block is
// a whole number of waves.
template <typename Fold, typename T>
__device__ T block_fold(T value) {
  __shared__ T waves[32];
  for (int step = warpSize / 2; step > 0; step /= 2) {
    value = Fold::of(value, __shfl_xor(value, step));
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
