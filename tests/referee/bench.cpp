#include "tests/referee/bench.h"

#include "kvgen/base/files.h"

namespace kvgen::referee_bench {
namespace {

void add(Tensors& tensors, const Arena& arena) {
  for (const ArenaTensor& tensor : arena.layout().tensors) {
    const auto bytes = arena.data(tensor);
    const std::string& name = tensor.spec.name;
    tensors.regions[name] = arena.region(tensor);
    if (tensor.spec.dtype == DType::kFloat32) {
      tensors.floats[name] = {reinterpret_cast<float*>(bytes.data()), bytes.size() / 4};
    } else if (tensor.spec.dtype == DType::kFloat16) {
      tensors.halves[name] = {reinterpret_cast<_Float16*>(bytes.data()), bytes.size() / 2};
    } else if (tensor.spec.dtype == DType::kInt64) {
      tensors.integers[name] = {reinterpret_cast<std::int64_t*>(bytes.data()), bytes.size() / 8};
    }
  }
}

}  // namespace

Task task_of(Variant variant) {
  Task task;
  task.name = "test";
  task.entry = "test.py:Model";
  task.variants.push_back(std::move(variant));
  seal(task);
  return task;
}

Task load(const std::string& name) {
  const fs::path path = fs::path(KVGEN_SOURCE_DIR) / "tests/referee/tasks" / (name + ".json");
  const std::string text = real_files().read(path, 1 << 20).value();
  return task_of(variant_from(parse_json(text).value(), name).value());
}

Result<OpenCaseAnswer> Bench::open(const Task& task, const std::string& distribution,
                                   std::uint64_t seed) {
  const OpenCaseCall call{task, task.variants.front().name, seed, distribution};
  TRY(Message reply, engine_.handle("open_case", {to_json(call), {}}));
  TRY(opened_, open_case_answer_from(reply.json));
  inputs_ = reply.fds.at(0);
  return opened_;
}

Result<JudgeAnswer> Bench::judge(const Kernel& kernel, std::uint64_t poison_seed) {
  TRY(Message made,
      engine_.handle("new_outputs", {to_json(NewOutputsCall{opened_.case_id, poison_seed}), {}}));
  TRY(const NewOutputsAnswer answer, new_outputs_answer_from(made.json));
  {
    TRY(const Arena inputs, Arena::open(inputs_, opened_.inputs, /*writable=*/false));
    TRY(const Arena outputs, Arena::open(made.fds.at(0), answer.outputs, /*writable=*/true));
    Tensors tensors;
    add(tensors, inputs);
    add(tensors, outputs);
    kernel(tensors);
  }
  const JudgeCall call{opened_.case_id, poison_seed, answer.outputs};
  TRY(const Message reply, engine_.handle("judge", {to_json(call), {made.fds.at(0)}}));
  return judge_answer_from(reply.json);
}

}  // namespace kvgen::referee_bench
