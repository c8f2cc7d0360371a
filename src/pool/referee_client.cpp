#include "kvgen/pool/clients.h"
#include "kvgen/worker/protocol.h"

namespace kvgen {
namespace {

constexpr std::chrono::minutes kOpenDeadline{5};
constexpr std::chrono::minutes kDeadline{3};
constexpr int kFreshWorkers = 5;

// A case at one incarnation of one worker, and what opens it again elsewhere.
struct Binding : CaseBinding {
  Json call;
  int slot = 0;
  std::uint64_t incarnation = 0;
  std::string id;
};

class WorkerReferee : public Referee {
 public:
  WorkerReferee(WorkerGroup& workers, std::string description)
      : workers_(workers), description_(std::move(description)) {}

  Awaitable<Result<RefereeCase>> open_case(const Task& task, CaseRequest request) override {
    auto binding = std::make_shared<Binding>();
    binding->call =
        to_json(OpenCaseCall{task, request.variant, request.seed, request.distribution});
    auto worker = co_await workers_.lease();
    binding->slot = worker.slot();
    for (int tries = kFreshWorkers;; --tries) {
      auto opened = co_await open(worker, *binding);
      if (opened.ok()) {
        co_return RefereeCase{std::move(request), std::move(opened->inputs), opened->reference_ns,
                              binding};
      }
      if (tries <= 1 || !worker_failed(opened.error())) co_return std::move(opened).error();
    }
  }

  Awaitable<Result<ArenaRef>> new_outputs(const RefereeCase& opened,
                                          std::uint64_t poison_seed) override {
    CO_TRY(Message reply, co_await ask_case(opened, "new_outputs", [&](const std::string& id) {
             return Message{to_json(NewOutputsCall{id, poison_seed}), {}};
           }));
    Fields fields(reply.json, "new_outputs answer");
    fields.object("outputs");
    CO_TRY_VOID(fields.finish());
    if (reply.fds.size() != 1) co_return Error(Code::kWorker, "the referee sent no outputs");
    // The layout goes on unread: who maps the arena checks it.
    co_return ArenaRef{reply.fds.front(), std::move(reply.json["outputs"])};
  }

  Awaitable<Result<Judgement>> judge(const RefereeCase& opened, const ArenaRef& outputs,
                                     std::uint64_t poison_seed) override {
    CO_TRY(Message reply, co_await ask_case(opened, "judge", [&](const std::string& id) {
             Json body = to_json(JudgeCall{id, poison_seed, {}});
             body["outputs"] = outputs.layout;
             return Message{std::move(body), {outputs.fd}};
           }));
    CO_TRY(JudgeAnswer answer, judge_answer_from(reply.json));
    co_return Judgement{std::move(answer.verdict), std::move(answer.outcome)};
  }

  Awaitable<Result<std::int64_t>> time_reference(const RefereeCase& opened, int runs, bool cold,
                                                 int cores) override {
    CO_TRY(Message reply, co_await ask_case(opened, "time_reference", [&](const std::string& id) {
             return Message{to_json(TimeReferenceCall{id, runs, cold, cores}), {}};
           }));
    Fields fields(reply.json, "time_reference answer");
    const auto wall = fields.get<std::int64_t>("wall_ns");
    CO_TRY_VOID(fields.finish());
    co_return wall;
  }

  Awaitable<Result<std::vector<std::string>>> admit(const Task& task, std::uint64_t seed) override {
    CO_TRY(Message reply,
           co_await workers_.ask_any("admit", {to_json(AdmitCall{task, seed}), {}}, kOpenDeadline));
    CO_TRY(AdmitAnswer answer, admit_answer_from(reply.json));
    co_return std::move(answer.marks);
  }

  std::string describe() const override { return description_; }

 private:
  struct Opened {
    ArenaRef inputs;
    std::int64_t reference_ns = 0;
  };

  static Awaitable<Result<Opened>> open(WorkerGroup::Lease& worker, Binding& binding) {
    CO_TRY(Message reply, co_await worker.ask("open_case", {binding.call, {}}, kOpenDeadline));
    CO_TRY(OpenCaseAnswer answer, open_case_answer_from(reply.json));
    if (reply.fds.size() != 1) co_return Error(Code::kWorker, "the referee sent no inputs");
    binding.id = std::move(answer.case_id);
    binding.incarnation = worker.incarnation();
    co_return Opened{{reply.fds.front(), to_json(answer.inputs)}, answer.reference_ns};
  }

  // Asks the worker that holds the case; opens it again where it was lost.
  template <class MakeCall>
  Awaitable<Result<Message>> ask_case(const RefereeCase& opened, std::string op,
                                      MakeCall make_call) {
    auto* binding = dynamic_cast<Binding*>(opened.binding.get());
    if (binding == nullptr) co_return Error(Code::kInternal, "a case of another referee");
    auto worker = co_await workers_.lease(binding->slot);
    for (int tries = kFreshWorkers;; --tries) {
      Result<void> held = ok();
      if (binding->incarnation != worker.incarnation()) {
        auto again = co_await open(worker, *binding);
        if (!again.ok()) held = again.error();
      }
      if (held.ok()) {
        auto reply = co_await worker.ask(op, make_call(binding->id), kDeadline);
        if (reply.ok()) co_return reply;
        held = reply.error();
        if (reply.error().code() == Code::kNotFound) binding->incarnation = 0;  // evicted
      }
      const bool again = worker_failed(held.error()) || held.error().code() == Code::kNotFound;
      if (tries <= 1 || !again) co_return held.error();
    }
  }

  WorkerGroup& workers_;
  std::string description_;
};

}  // namespace

std::unique_ptr<Referee> make_referee(WorkerGroup& workers, std::string description) {
  return std::make_unique<WorkerReferee>(workers, std::move(description));
}

}  // namespace kvgen
