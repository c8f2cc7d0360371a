#include "kvgen/referee/engine.h"

#include <list>
#include <utility>

#include "kvgen/worker/arena.h"
#include "kvgen/worker/protocol.h"
#include "referee/admit.h"
#include "referee/judge.h"
#include "referee/memory.h"
#include "referee/poison.h"
#include "referee/reference.h"

namespace kvgen {
namespace {

constexpr int kRunsLimit = 100'000;

struct OpenedCase {
  std::string id;
  OpenCaseCall call;  // without the task
  std::unique_ptr<referee::Reference> reference;
  Arena inputs;
  ArenaLayout outputs;
};

}  // namespace

// Opened cases, the last used in front.
class RefereeEngine::Cases {
 public:
  explicit Cases(const RefereeLimits& limits) : limits_(limits) {}

  Result<Message> open(OpenCaseCall call) {
    const Variant* variant = call.task.variant(call.variant);
    if (variant == nullptr) {
      return Error(Code::kInvalid,
                   "task " + call.task.name + " has no variant \"" + call.variant + "\"");
    }
    TRY(auto reference, referee::Reference::open(*variant, call.seed, call.distribution));
    TRY(ArenaLayout input_layout, lay_out(reference->input_specs(), limits_.arena_bytes));
    TRY(ArenaLayout output_layout, lay_out(reference->output_specs(), limits_.arena_bytes));
    TRY(Arena inputs, Arena::create("kvgen-inputs", std::move(input_layout)));
    reference->write_inputs(inputs);
    referee::fill_guards(inputs, call.seed);
    TRY_VOID(inputs.seal(/*freeze=*/true));
    call.task = {};
    cases_.push_front({"case-" + std::to_string(++opened_), std::move(call), std::move(reference),
                       std::move(inputs), std::move(output_layout)});
    drop_least_used();
    const OpenedCase& opened = cases_.front();
    const OpenCaseAnswer answer{opened.id, opened.inputs.layout(), opened.reference->one_run_ns()};
    return Message{to_json(answer), {opened.inputs.fd()}};
  }

  Result<OpenedCase*> find(const std::string& id) {
    for (auto it = cases_.begin(); it != cases_.end(); ++it) {
      if (it->id != id) continue;
      cases_.splice(cases_.begin(), cases_, it);
      return &cases_.front();
    }
    Error gone(Code::kNotFound, "the referee no longer holds " + id + "; open it anew");
    gone.set_retryable();
    return gone;
  }

 private:
  void drop_least_used() {
    const auto held = [&] {
      std::int64_t bytes = 0;
      for (const OpenedCase& opened : cases_) {
        bytes += opened.reference->held_bytes() + opened.inputs.layout().bytes;
      }
      return bytes;
    };
    while (cases_.size() > 1 && held() > limits_.cases_bytes) cases_.pop_back();
  }

  RefereeLimits limits_;
  std::list<OpenedCase> cases_;
  std::uint64_t opened_ = 0;
};

namespace {

Result<Message> new_outputs(const OpenedCase& opened, const NewOutputsCall& call) {
  TRY(Arena arena, Arena::create("kvgen-outputs", opened.outputs));
  const auto& tensors = arena.layout().tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    referee::Poison(call.poison_seed, i).fill(tensors[i].spec.dtype, arena.data(tensors[i]));
  }
  opened.reference->write_in_place(arena);
  referee::fill_guards(arena, call.poison_seed);
  TRY_VOID(arena.seal(/*freeze=*/false));
  return Message{to_json(NewOutputsAnswer{arena.layout()}), {arena.fd()}};
}

Result<Message> judge(const OpenedCase& opened, const JudgeCall& call,
                      const std::vector<SharedFd>& fds) {
  if (fds.size() != 1) return Error(Code::kInvalid, "judge needs one outputs arena");
  if (to_json(call.outputs) != to_json(opened.outputs)) {
    return Error(Code::kInvalid, "the outputs' layout is not the one of " + opened.id);
  }
  TRY(const Arena arena, Arena::open(fds[0], opened.outputs, /*writable=*/false));
  JudgeAnswer answer = referee::judge(*opened.reference, arena, call.poison_seed);
  answer.verdict.variant = opened.call.variant;
  answer.verdict.distribution = opened.call.distribution;
  answer.verdict.seed = opened.call.seed;
  return Message{to_json(answer), {}};
}

Result<Message> time_reference(const OpenedCase& opened, const TimeReferenceCall& call) {
  if (call.runs > kRunsLimit) return Error(Code::kUsage, "too many runs in one request");
  TRY(const std::int64_t wall, opened.reference->time(call.runs, call.cold, call.cores));
  return Message{{{"wall_ns", wall}}, {}};
}

}  // namespace

RefereeEngine::RefereeEngine(const RefereeLimits& limits)
    : limits_(limits), cases_(std::make_unique<Cases>(limits)) {
  referee::limit_tensor_memory(limits.tensor_bytes);
}

RefereeEngine::~RefereeEngine() = default;

Json RefereeEngine::hello() {
  return {{"torch", referee::torch_version()}, {"policy", kVerdictPolicy}};
}

Result<Message> RefereeEngine::handle(const std::string& op, Message body) {
  last_judged_.reset();
  if (op == "open_case") {
    TRY(OpenCaseCall call, open_case_call_from(body.json));
    return cases_->open(std::move(call));
  }
  if (op == "new_outputs") {
    TRY(const NewOutputsCall call, new_outputs_call_from(body.json));
    TRY(const OpenedCase* opened, cases_->find(call.case_id));
    return new_outputs(*opened, call);
  }
  if (op == "judge") {
    TRY(const JudgeCall call, judge_call_from(body.json));
    TRY(const OpenedCase* opened, cases_->find(call.case_id));
    if (!body.fds.empty()) last_judged_ = body.fds.front();
    return judge(*opened, call, body.fds);
  }
  if (op == "time_reference") {
    TRY(const TimeReferenceCall call, time_reference_call_from(body.json));
    TRY(const OpenedCase* opened, cases_->find(call.case_id));
    return time_reference(*opened, call);
  }
  if (op == "admit") {
    TRY(const AdmitCall call, admit_call_from(body.json));
    AdmitAnswer answer;
    TRY(answer.marks, referee::admit(call.task, call.seed));
    return Message{to_json(answer), {}};
  }
  return Error(Code::kInvalid, "the referee knows no \"" + op + "\"");
}

}  // namespace kvgen
