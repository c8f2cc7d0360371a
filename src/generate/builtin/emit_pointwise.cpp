#include <algorithm>
#include <functional>

#include "generate/builtin/emit.h"
#include "generate/builtin/evaluate.h"

namespace kvgen::builtin {

std::string largest_position(const Program& program, const Schedule& schedule, const Group& group) {
  std::set<std::string> texts = {product(group.domain, program.variants).text};
  std::set<int> seen;
  const std::function<void(int)> visit = [&](int id) {
    if (!seen.insert(id).second) return;
    const Node& node = program[id];
    const bool loaded = group.loads.contains(id);
    if (loaded || node.kind == Kind::kTensor) {
      texts.insert("numel(" + (loaded ? schedule.stored.at(id) : node.tensor) + ")");
    }
    if (loaded) return;
    for (const int input : node.inputs) visit(input);
  };
  for (const int local : group.locals) visit(local);
  for (const Sink& sink : group.sinks) visit(sink.node);
  std::string text;
  for (const std::string& one : texts) text = text.empty() ? one : "max(" + text + ", " + one + ")";
  return text;
}

void add_launches(const Launch& launch, Emitted& emitted) {
  Json shared = Json::object();
  if (!launch.shared.empty()) shared["shared"] = launch.shared;
  // Room for the last block's threads beyond the end.
  const std::string fits = "(" + launch.count + ") < 2147000000";
  for (const bool narrow : {true, false}) {
    std::string when = narrow ? fits : "(" + launch.count + ") >= 2147000000";
    if (!launch.when.empty()) when = launch.when + " && " + when;
    emitted.steps.push_back({{"kernel", launch.kernel + (narrow ? "<int>" : "<long long>")},
                             {"when", when},
                             {"grid", launch.grid},
                             {"block", launch.block},
                             {"args", launch.arguments}});
    emitted.steps.back().update(shared);
  }
}

void emit_pointwise(const Program& program, const Schedule& schedule, const Group& group,
                    const std::string& name, Emitted& emitted) {
  Kernel kernel(name, program.variants);
  const Size count = product(group.domain, program.variants);
  Axis axis{"i", {}};
  std::map<int, Size> sizes;
  for (std::size_t d = 0; d < group.domain.size(); ++d) {
    axis.coordinates.push_back(static_cast<int>(d));
    sizes.emplace(static_cast<int>(d), group.domain[d]);
  }
  kernel.set_axes({axis}, sizes);
  const std::string limit = kernel.size(count);
  Body body;
  body.line("const I i = (I)blockIdx.x * blockDim.x + threadIdx.x;");
  body.line("if (i >= " + limit + ") return;");
  Evaluator evaluator(program, schedule, group, kernel);
  for (const Sink& sink : group.sinks) evaluator.store(sink, body);
  emitted.source += kernel.signature() + " {\n" + body.text + "}\n\n";
  add_launches(
      {name, largest_position(program, schedule, group), "",
       Json::array({ceil_div(count, 256).text}), Json::array({256}), "", kernel.arguments()},
      emitted);
}

}  // namespace kvgen::builtin
