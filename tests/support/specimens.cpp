#include "tests/support/specimens.h"

#include <limits>

#include "kvgen/base/hash.h"

namespace kvgen::testing {
namespace {

Node softmax_node() {
  Node node;
  node.op = "aten::softmax";
  node.overload = "int";
  node.args = {Argument{ValueId{0}}, Argument{std::int64_t{-1}}, Argument{}};
  node.kwargs = {{"dtype", Argument{DTypeArgument{"float32"}}},
                 {"mask", Argument{ArgumentList{Argument{true}, Argument{0.5}}}}};
  node.outputs = {ValueId{1}, std::nullopt};
  node.metas = {ValueMeta{DType::kFloat32, {4, 8}}, std::nullopt};
  return node;
}

InitProgram random_input() {
  InitProgram program;
  program.constants.push_back({ValueId{1}, DType::kInt64, {2}, "AAAAAAAAAAAAAAAAAAAAAA=="});
  Node node;
  node.op = "aten::randn";
  node.args = {Argument{ArgumentList{Argument{std::int64_t{4}}, Argument{std::int64_t{8}}}},
               Argument{-std::numeric_limits<double>::infinity()}, Argument{std::string("text")}};
  node.kwargs = {{"device", Argument{DeviceArgument{"cpu"}}},
                 {"layout", Argument{LayoutArgument{"strided"}}},
                 {"memory_format", Argument{MemoryFormatArgument{"contiguous_format"}}}};
  node.outputs = {ValueId{0}};
  node.metas.resize(1);
  node.returns_list = true;
  program.nodes.push_back(std::move(node));
  program.made.push_back({"x", ValueId{0}});
  return program;
}

KernelInfo kernel(bool with_facts) {
  KernelInfo info;
  info.expression = "row_softmax<float, 4>";
  info.symbol = "_Z11row_softmaxIfLi4EEvPKfPf";
  info.line = 7;
  info.parameters = {
      {"x", "const float4 *", KernelParameter::Form::kPointer, KernelParameter::Element::kFloating,
       4, 4, true},
      {"n", "int", KernelParameter::Form::kScalar, KernelParameter::Element::kSigned, 4, 1, false}};
  info.static_lds = 1024;
  info.launch_bound = 256;
  info.float_atomics = true;
  if (with_facts) {
    info.facts = KernelFacts{.vgprs = 32, .sgprs = 16, .lds_bytes = 1024};
    info.facts->occupancy = Occupancy{8, 8, "waves", 256, 512};
    info.facts->mix = InstructionMix{.valu = 40, .salu = 12, .vmem = 3, .lds = 4, .branch = 2};
  }
  return info;
}

}  // namespace

Task specimen_task(const std::string& name) {
  Task task;
  task.name = name;
  task.structural_hash = sha256("structure of " + name);
  task.entry = name + ".py:Model";
  task.source = "class Model: pass  # " + name + "\n";
  task.license = "MIT";
  task.origin = "a test";
  task.captured_by = {{"torch", "2.13.0"}};
  task.marks = {"ignores: y"};
  task.notes = {"input was renamed x"};
  Variant variant;
  variant.name = "official";
  const TensorSpec x{"x", TensorRole::kInput, DType::kFloat32, {4, 8}};
  const TensorSpec out{"out", TensorRole::kOutput, DType::kFloat32, {4, 8}};
  variant.graph.inputs = {{ValueId{0}, x}};
  variant.graph.scalars = {{"scale", Argument{2.0}}};
  variant.graph.nodes = {softmax_node()};
  variant.graph.outputs = {{ValueId{1}, out}};
  variant.inputs = random_input();
  variant.symbols = {{"softmax.dim", std::int64_t{-1}, {{.node = 0, .arg = 1}}},
                     {"eps", 1e-5, {{.node = 0, .arg = -1, .keyword = "mask", .item = 1}}}};
  variant.sizes = {{"line 3", 8}};
  task.variants = {variant};
  seal(task);
  return task;
}

Build specimen_build(const std::string& target) {
  Build build;
  build.target = target;
  build.compiler = "clang";
  build.compiler_version = "22.1.0";
  build.options_hash = sha256("options");
  build.diagnostics = "line 3: warning: unused";
  build.kernels = {kernel(target != "cpu")};
  build.remarks = {"host_code_dropped: main"};
  build.device_source = "__global__ void row_softmax() {}\n";
  build.tokens_hash = sha256("tokens");
  build.object_hash = sha256("object of " + target);
  build.object_bytes = 4096;
  return build;
}

Verdict specimen_verdict() {
  Verdict verdict;
  verdict.outcome = {OutcomeKind::kVerified, Stage::kJudge, "all cases within the limit", {}};
  verdict.outcome.detail = Json::object();
  CaseVerdict one;
  one.variant = "official";
  one.distribution = "recorded";
  one.seed = 0xfedcba9876543210U;
  one.within = true;
  one.worst_ratio = 0.25;
  one.median_ratio = 0.01;
  one.max_abs_error = 1e-7;
  one.allclose_1e2 = true;
  one.output_digest = sha256("outputs");
  verdict.cases = {one};
  verdict.verified_on = "cpu";
  return verdict;
}

Profile specimen_profile() {
  Profile profile;
  profile.variant = "official";
  profile.device = "cpu";
  profile.timed_on = "a machine, 2 cores";
  profile.source = "wall";
  profile.cache = "hot";
  profile.cores = 2;
  profile.baseline = "libtorch 2.13.0 eager, float32";
  profile.candidate = {100, 2, 98, {100, 102, 98}};
  profile.reference = {250, 4, 240, {250, 260, 240}};
  profile.speedup = 2.5;
  profile.separated = true;
  profile.converged = true;
  profile.runs_per_sample = 16;
  profile.flags = {"floor_suspect"};
  return profile;
}

Reply specimen_reply(int turn) {
  Reply reply;
  reply.text = "Here is turn " + std::to_string(turn) + "\n```hip\n__global__ void f(){}\n```\n";
  reply.origin = {{"generator", "replay"}, {"file", "softmax.md"}};
  return reply;
}

Attempt specimen_attempt(const Task& task, int turn, OutcomeKind kind) {
  Attempt attempt;
  attempt.task_hash = task.hash;
  attempt.turn = turn;
  attempt.outcome = {kind, Stage::kGenerate, "a reason", Json::object()};
  if (kind == OutcomeKind::kNoCandidate) return attempt;
  attempt.reply = specimen_reply(turn);
  Candidate candidate;
  candidate.source = "__global__ void f(){}\n// turn " + std::to_string(turn) + "\n";
  candidate.plan_text = R"({"plan": 1, "run": []})";
  candidate.hash = candidate_hash(candidate.source, candidate.plan_text);
  candidate.remarks = {"block written as a number"};
  attempt.candidate = candidate;
  attempt.outcome.stage = Stage::kPlan;
  if (kind == OutcomeKind::kBadPlan) return attempt;
  attempt.normalised_plan = {{"plan", 1}, {"run", Json::array()}};
  attempt.builds = {specimen_build("cpu"), specimen_build("gfx942")};
  attempt.outcome.stage = Stage::kCompile;
  if (kind == OutcomeKind::kCompileError) {
    attempt.builds[0].failure = attempt.outcome;
    return attempt;
  }
  attempt.outcome.stage = Stage::kJudge;
  attempt.verdict = specimen_verdict();
  attempt.verdict->outcome = attempt.outcome;
  if (kind == OutcomeKind::kVerified) {
    attempt.profile = specimen_profile();
  } else {
    attempt.verdict->cases[0].within = false;
    attempt.verdict->cases[0].worst_ratio = std::numeric_limits<double>::infinity();
  }
  return attempt;
}

}  // namespace kvgen::testing
