#include "generate/builtin/compiler.h"

#include "generate/builtin/emit.h"
#include "generate/builtin/lower.h"
#include "generate/builtin/schedule.h"

namespace kvgen::builtin {

std::variant<std::string, Declined> write_reply(const Task& task) {
  std::variant<Program, std::string> lowered = lower(task);
  if (auto* reason = std::get_if<std::string>(&lowered)) return Declined{std::move(*reason)};
  const Program& program = std::get<Program>(lowered);
  const Schedule plan = schedule(program);
  Emitted emitted;
  for (std::size_t k = 0; k < plan.order.size(); ++k) {
    const Group& group = plan.groups[static_cast<std::size_t>(plan.order[k])];
    const std::string number = std::to_string(k);
    switch (group.form) {
      case Group::Form::kPointwise:
        emit_pointwise(program, plan, group, "elementwise_" + number, emitted);
        break;
      case Group::Form::kRow:
        emit_row(program, plan, group, "rows_" + number, emitted);
        break;
      case Group::Form::kScan:
        emit_scan(program, plan, group, "scan_" + number, emitted);
        break;
      case Group::Form::kSort:
        emit_sort(program, plan, group, "sort_" + number, emitted);
        break;
      case Group::Form::kMatmul:
        emit_matmul(program, plan, group, "matmul_" + number, emitted);
        break;
    }
  }
  return reply_text(program, plan, emitted);
}

}  // namespace kvgen::builtin
