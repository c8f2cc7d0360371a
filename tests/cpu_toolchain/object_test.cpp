#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kvgen/cpu/abi.h"
#include "kvgen/worker/arena.h"
#include "tests/compile/support.h"

namespace kvgen::test {
namespace {

// An object of the cpu device in this process: only for kernels that import nothing.
class Loaded {
 public:
  explicit Loaded(const std::string& bytes) {
    auto blob = sealed_blob("object", bytes);
    EXPECT_TRUE(blob.ok());
    const std::string path = "/proc/self/fd/" + std::to_string((*blob)->get());
    handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle_, nullptr) << ::dlerror();
  }
  ~Loaded() { ::dlclose(handle_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  [[nodiscard]] const kvgen_cpu_object_info& info() const {
    return *static_cast<const kvgen_cpu_object_info*>(::dlsym(handle_, "kvgen_cpu_object"));
  }
  using Entry = void (*)(const kvgen_cpu_slot*);
  [[nodiscard]] Entry function(const std::string& name) const {
    return reinterpret_cast<Entry>(::dlsym(handle_, name.c_str()));
  }

 private:
  void* handle_ = nullptr;
};

constexpr unsigned kX = 67;
constexpr unsigned kY = 2;
constexpr unsigned kZ = 3;
constexpr unsigned kThreads = kX * kY * kZ;

void set_block(kvgen_cpu_context& context) {
  context.block_idx = {7, 8, 9};
  context.block_dim = {kX, kY, kZ};
  context.grid_dim = {11, 12, 13};
}

void run_entry(const Loaded& object, const std::string& symbol, const kvgen_cpu_slot* slots) {
  kvgen_cpu_context& context = *object.info().context;
  set_block(context);
  const auto entry = object.function(KVGEN_CPU_ENTRY_PREFIX + symbol);
  ASSERT_NE(entry, nullptr);
  for (unsigned linear = 0; linear < kThreads; ++linear) {
    context.thread_idx = {linear % kX, linear / kX % kY, linear / kX / kY};
    context.linear = linear;
    context.lane = linear % KVGEN_CPU_WAVE;
    entry(slots);
  }
}

const char* const kIndices =
    "__global__ void k(int* out, char c, double d, __half h, bool b) {\n"
    "  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
    "  if (t == 5) return;\n"
    "  int local[3] = {t, (int)blockIdx.z, (int)gridDim.y};\n"
    "  for (int i = 0; i < 3; ++i) out[t * 4 + i] = local[(i + t) % 3];\n"
    "  out[t * 4 + 3] = __lane_id() * 1000 + c + (int)d + (int)(float)h + b;\n"
    "}\n";

TEST(CpuObject, EveryThreadOfTheLoopDoesWhatTheEntryDoes) {
  const Answer answer = compile(kIndices, "cpu", {"k"});
  ASSERT_TRUE(answer.build.usable()) << answer.build.diagnostics;
  const Loaded object(answer.object);
  const std::string& symbol = answer.build.kernels.at(0).symbol;

  std::vector<int> by_entry(kThreads * 4, -1);
  std::vector<int> by_loop(kThreads * 4, -1);
  std::array<kvgen_cpu_slot, 5> slots = {0, 3, 0, 0x4200 /* 3.0 */, 1};
  const double d = 10;
  std::memcpy(&slots[2], &d, sizeof d);
  slots[0] = reinterpret_cast<kvgen_cpu_slot>(by_entry.data());
  run_entry(object, symbol, slots.data());
  slots[0] = reinterpret_cast<kvgen_cpu_slot>(by_loop.data());
  set_block(*object.info().context);
  const auto loop = object.function(KVGEN_CPU_LOOP_PREFIX + symbol);
  ASSERT_NE(loop, nullptr);
  loop(slots.data());

  EXPECT_EQ(by_entry, by_loop);
  EXPECT_EQ(by_entry[65 * 4 + 3], 1 * 1000 + 3 + 10 + 3 + 1);
  EXPECT_EQ(by_entry[5 * 4], -1);
}

TEST(CpuObject, DescribesItself) {
  const Answer answer = compile(
      "__global__ void k(float* x) { __shared__ float b[64]; __shared__ double c;\n"
      "  b[threadIdx.x] = x[0]; c = b[1]; x[threadIdx.x] = b[63 - threadIdx.x] + c; }",
      "cpu", {"k"});
  ASSERT_TRUE(answer.build.usable()) << answer.build.diagnostics;
  EXPECT_EQ(answer.build.kernels.at(0).static_lds, 64 * 4 + 8);
  const Loaded object(answer.object);
  EXPECT_EQ(object.info().magic, KVGEN_CPU_MAGIC);
  EXPECT_EQ(object.info().abi, KVGEN_CPU_ABI_VERSION);
  ASSERT_NE(object.info().lds_begin, nullptr);
  EXPECT_GE(object.info().lds_end - object.info().lds_begin, 64 * 4 + 8);
}

TEST(CpuObject, NoLoopForAKernelThatWaits) {
  for (const char* wait : {"__syncthreads()", "v = __shfl_xor(v, 1)", "v = __ballot(v > 0)"}) {
    const Answer answer = compile(
        "__device__ float f(float v) { " + std::string(wait) +
            "; return v; }\n__global__ void k(float* x) { x[threadIdx.x] = f(x[threadIdx.x]); }",
        "cpu", {"k"});
    ASSERT_TRUE(answer.build.usable()) << answer.build.diagnostics;
    EXPECT_EQ(answer.object.find(KVGEN_CPU_LOOP_PREFIX), std::string::npos) << wait;
    EXPECT_NE(answer.object.find(KVGEN_CPU_ENTRY_PREFIX), std::string::npos) << wait;
  }
}

}  // namespace
}  // namespace kvgen::test
