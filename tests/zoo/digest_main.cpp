// Executes variants as the referee does and tells what came out: one JSON object a line in
// ({"variant", "seed"}: weights are drawn from seed, inputs from seed + 1, draws inside the graph
// from seed + 2), one a line out ({"digests": {NAME: SHA-256 of the elements}, "nodes", "ns"} or
// {"error"}).

#include <chrono>
#include <iostream>
#include <string>

#include "kvgen/base/hash.h"
#include "kvgen/model/task.h"
#include "referee/inputs.h"
#include "referee/memory.h"
#include "referee/model.h"
#include "referee/torch.h"

namespace kvgen {
namespace {

constexpr std::size_t kLineLimit = 512UL << 20U;
constexpr std::int64_t kTensorBytes = 8LL << 30;

std::string digest(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.contiguous();
  return sha256({static_cast<const char*>(plain.const_data_ptr()), plain.nbytes()});
}

Result<Json> answer(const std::string& line) {
  const at::NoGradGuard no_grad;
  TRY(const Json request, parse_json(line, {.bytes = kLineLimit, .depth = 64}));
  Fields fields(request, "the request");
  const Json& given = fields.get<Json>("variant");
  const auto seed = fields.get<std::uint64_t>("seed");
  TRY_VOID(fields.finish());
  TRY(const Variant variant, variant_from(given, "variant"));
  TRY(auto made, referee::replay(variant.init, seed, "init"));
  TRY(auto fed, referee::replay(variant.inputs, seed + 1, "inputs"));
  made.merge(fed);
  std::vector<at::Tensor> inputs;
  for (const GraphInput& input : variant.graph.inputs) {
    inputs.push_back(made.at(input.spec.name).clone(at::MemoryFormat::Contiguous));
  }
  TRY(const referee::Model model, referee::Model::make(variant, referee::Precision::kRecorded));
  const auto started = std::chrono::steady_clock::now();
  TRY(const auto results, model.run(inputs, seed + 2));
  const auto spent = std::chrono::steady_clock::now() - started;
  Json digests = Json::object();
  for (std::size_t i = 0; i < results.size(); ++i) {
    digests[variant.graph.outputs[i].spec.name] = digest(results[i]);
  }
  return Json{{"digests", digests},
              {"nodes", variant.graph.nodes.size()},
              {"ns", std::chrono::nanoseconds(spent).count()}};
}

}  // namespace
}  // namespace kvgen

int main() {
  at::set_num_threads(1);
  kvgen::referee::limit_tensor_memory(kvgen::kTensorBytes);
  std::string line;
  while (std::getline(std::cin, line)) {
    auto result = kvgen::referee::guarded("executing", [&] { return kvgen::answer(line); });
    const kvgen::Json json =
        result.ok() ? std::move(result).value() : kvgen::Json{{"error", result.error().message()}};
    std::cout << kvgen::to_line(json) << std::endl;
  }
  return 0;
}
