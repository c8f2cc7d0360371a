// Plans on a real GPU, through the same engine interface that the cpu device has.

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "kvgen/device/engine.h"
#include "kvgen/device/gpu_driver.h"
#include "kvgen/model/task.h"
#include "kvgen/plan/plan.h"
#include "kvgen/plan/resolve.h"
#include "tests/device/nvrtc.h"

namespace kvgen {
namespace {

constexpr std::int64_t kArenaLimit = 1LL << 30;
constexpr std::int64_t kRows = 96;
constexpr std::int64_t kColumns = 5000;

KernelParameter pointer(const char* name, bool to_const) {
  KernelParameter parameter{name, to_const ? "const float *" : "float *"};
  parameter.to_const = to_const;
  return parameter;
}

KernelParameter integer(const char* name) {
  KernelParameter parameter{name, "int", KernelParameter::Form::kScalar,
                            KernelParameter::Element::kSigned, 4};
  return parameter;
}

struct Candidate {
  std::string source;
  std::string plan;
  std::vector<KernelInfo> kernels;  // symbols come from the compiler
  Shape out_shape;
};

class Gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    auto driver = open_cuda_driver();
    if (!driver.ok()) GTEST_SKIP() << "no GPU here: " << driver.error().message();
    auto engine = make_gpu_engine(std::move(driver).value(), 0);
    if (!engine.ok()) GTEST_SKIP() << "no GPU here: " << engine.error().message();
    engine_ = std::move(engine).value();
    for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
      x_.push_back(std::sin(static_cast<float>(i % 7919)) * 2.0F);
    }
  }

  // Everything that kvgen does between a reply and a report, less the workers.
  DeviceRun load(Candidate candidate) {
    DeviceRun run;
    std::vector<std::string> names;
    for (const KernelInfo& kernel : candidate.kernels) names.push_back(kernel.expression);
    auto object = testing::compile_with_nvrtc(candidate.source, names);
    EXPECT_TRUE(object.ok()) << (object.ok() ? "" : object.error().message());
    if (!object.ok()) return run;
    Build build;
    build.target = "sm_90";
    build.kernels = candidate.kernels;
    for (std::size_t i = 0; i < names.size(); ++i) build.kernels[i].symbol = object->symbols[i];

    Variant variant;
    const TensorSpec x{"x", TensorRole::kInput, DType::kFloat32, {kRows, kColumns}};
    const TensorSpec out{"out", TensorRole::kOutput, DType::kFloat32, candidate.out_shape};
    variant.graph.inputs.push_back({{0}, x});
    variant.graph.outputs.push_back({{1}, out});
    auto plan = parse_plan(candidate.plan);
    EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.outcome().reason);
    EXPECT_EQ(check_names(*plan, variant), std::nullopt);
    EXPECT_EQ(check_signatures(*plan, variant, build), std::nullopt);
    auto resolved = resolve(*plan, variant, build, DeviceLimits{});
    EXPECT_TRUE(resolved.ok()) << (resolved.ok() ? "" : resolved.outcome().reason);

    auto inputs = Arena::create("inputs", *lay_out({x}, kArenaLimit));
    const auto bytes = inputs->data(inputs->layout().tensors[0]);
    std::memcpy(bytes.data(), x_.data(), bytes.size());
    EXPECT_TRUE(inputs->seal(true).ok());
    auto outputs = Arena::create("outputs", *lay_out({out}, kArenaLimit));
    const auto poison = outputs->data(outputs->layout().tensors[0]);
    std::memset(poison.data(), 0xff, poison.size());
    EXPECT_TRUE(outputs->seal(false).ok());
    outputs_ = std::make_unique<Arena>(std::move(outputs).value());

    // As the runner gets it: numbers through JSON.
    run.plan = *resolved_plan_from(to_json(*resolved), "plan");
    run.object = object->image;
    run.inputs_fd = inputs->fd();
    run.outputs_fd = outputs_->fd();
    run.inputs = inputs->layout();
    run.outputs = outputs_->layout();
    run.poison_seed = 7;
    run.budget_ms = 10'000;
    run.schedule = "forward";
    return run;
  }

  float out(std::int64_t index) const {
    const auto bytes = outputs_->data(outputs_->layout().tensors[0]);
    float value = 0;
    std::memcpy(&value, bytes.data() + index * 4, 4);
    return value;
  }

  // Runs, checks against `expected`, times; prints the device time a run.
  void expect_output(const Candidate& candidate,
                     const std::function<double(std::int64_t)>& expected, double tolerance) {
    auto session = engine_->open(load(candidate));
    ASSERT_TRUE(session.ok()) << session.error().message();
    const RunReport& first = (*session)->first();
    ASSERT_EQ(first.status, RunReport::Status::kFinished) << first.reason;
    for (std::int64_t i = 0; i < numel(candidate.out_shape); ++i) {
      ASSERT_NEAR(out(i), expected(i), tolerance) << "element " << i;
    }
    const int runs = 200;
    const auto sample = (*session)->sample(runs, false);
    ASSERT_TRUE(sample.ok()) << sample.error().message();
    ASSERT_EQ(sample->status, RunReport::Status::kFinished) << sample->reason;
    EXPECT_GT(sample->wall_ns, 0);
    std::printf("%s: first %.1f us, then %.2f us a run of the plan (device events)\n",
                engine_->describe().dump().c_str(), static_cast<double>(first.wall_ns) / 1e3,
                static_cast<double>(sample->wall_ns) / runs / 1e3);
  }

  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Arena> outputs_;
  std::vector<float> x_;
};

TEST_F(Gpu, AnElementwiseTemplateWithAWhen) {
  const Candidate candidate{
      "template <int V> __global__ void scale(const float* x, float* y, int n) {\n"
      "  int i = (blockIdx.x * blockDim.x + threadIdx.x) * V;\n"
      "  for (int k = 0; k < V; ++k) if (i + k < n) y[i + k] = 2.0f * x[i + k] + 1.0f;\n"
      "}\n",
      R"json({"plan": 1, "let": {"n": "numel(x)", "v": "n % 4 == 0 ? 4 : 1"}, "run": [
        {"kernel": "scale<4>", "when": "v == 4", "grid": ["ceil_div(n, 1024)"], "block": [256],
         "args": ["x", "out", {"i32": "n"}]},
        {"kernel": "scale<1>", "when": "v != 4", "grid": ["ceil_div(n, 256)"], "block": [256],
         "args": ["x", "out", {"i32": "n"}]}]})json",
      {{"scale<4>", "", 1, {pointer("x", true), pointer("y", false), integer("n")}},
       {"scale<1>", "", 1, {pointer("x", true), pointer("y", false), integer("n")}}},
      {kRows, kColumns}};
  expect_output(candidate, [&](std::int64_t i) { return 2.0F * x_[i] + 1.0F; }, 1e-6);
}

TEST_F(Gpu, ARowSumWithAFillAndAtomics) {
  const Candidate candidate{
      "__global__ void row_sum(const float* x, float* y, int columns) {\n"
      "  extern __shared__ float part[];\n"
      "  int c = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  part[threadIdx.x] = c < columns ? x[(long long)blockIdx.y * columns + c] : 0.0f;\n"
      "  __syncthreads();\n"
      "  for (int s = blockDim.x / 2; s > 0; s /= 2) {\n"
      "    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];\n"
      "    __syncthreads();\n"
      "  }\n"
      "  if (threadIdx.x == 0) atomicAdd(&y[blockIdx.y], part[0]);\n"
      "}\n",
      R"json({"plan": 1, "let": {"rows": "dim(x,0)", "cols": "dim(x,1)"}, "run": [
        {"fill": "out", "value": 0},
        {"kernel": "row_sum", "grid": ["ceil_div(cols, 256)", "rows"], "block": [256],
         "shared": "256*4", "args": ["x", "out", {"i32": "cols"}]}]})json",
      {{"row_sum", "", 1, {pointer("x", true), pointer("y", false), integer("columns")}}},
      {kRows}};
  expect_output(
      candidate,
      [&](std::int64_t row) {
        double sum = 0;
        for (std::int64_t c = 0; c < kColumns; ++c) sum += x_[row * kColumns + c];
        return sum;
      },
      2e-2);
  // The fill is part of every run: sums of 200 runs do not pile up.
  double sum = 0;
  for (std::int64_t c = 0; c < kColumns; ++c) sum += x_[c];
  EXPECT_NEAR(out(0), sum, 2e-2);
}

TEST_F(Gpu, AScanWithARepeatBetweenTwoBuffers) {
  const Candidate candidate{
      "__global__ void step(const float* from, float* to, int columns, int distance) {\n"
      "  int c = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (c >= columns) return;\n"
      "  long long i = (long long)blockIdx.y * columns + c;\n"
      "  to[i] = from[i] + (c >= distance ? from[i - distance] : 0.0f);\n"
      "}\n",
      R"json({"plan": 1, "let": {"rows": "dim(x,0)", "cols": "dim(x,1)", "n": "log2_ceil(cols)"},
          "buffers": {"a": {"dtype": "float32", "shape": ["rows", "cols"]},
                      "b": {"dtype": "float32", "shape": ["rows", "cols"]}},
          "run": [
        {"copy": "x", "to": "a"},
        {"repeat": "n", "as": "s", "do": [
          {"kernel": "step", "grid": ["ceil_div(cols, 256)", "rows"], "block": [256],
           "args": [{"pick": "s % 2", "of": ["a", "b"]}, {"pick": "s % 2", "of": ["b", "a"]},
                    {"i32": "cols"}, {"i32": "1 << s"}]}]},
        {"copy": "a", "when": "n % 2 == 0", "to": "out"},
        {"copy": "b", "when": "n % 2 == 1", "to": "out"}]})json",
      {{"step",
        "",
        1,
        {pointer("from", true), pointer("to", false), integer("columns"), integer("distance")}}},
      {kRows, kColumns}};
  std::vector<double> prefix(x_.size());
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
    prefix[i] = x_[i] + (i % kColumns == 0 ? 0.0 : prefix[i - 1]);
  }
  expect_output(candidate, [&](std::int64_t i) { return prefix[i]; }, 2e-2);
}

TEST_F(Gpu, AWritePastTheEndIsSeenInTheGuards) {
  const Candidate candidate{
      "__global__ void past(const float* x, float* y, int n) { y[n] = x[0]; }\n",
      R"json({"plan": 1, "run": [{"kernel": "past", "grid": [1], "block": [1],
          "args": ["x", "out", {"i32": "numel(out)"}]}]})json",
      {{"past", "", 1, {pointer("x", true), pointer("y", false), integer("n")}}},
      {kRows, kColumns}};
  const auto report = engine_->run(load(candidate));
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->status, RunReport::Status::kOutOfBounds);
  EXPECT_THAT(report->reason, ::testing::HasSubstr("out"));
}

}  // namespace
}  // namespace kvgen
