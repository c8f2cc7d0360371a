#include "kvgen/generate/builtin.h"

#include "generate/builtin/compiler.h"
#include "kvgen/generate/extract.h"

namespace kvgen {
namespace {

// Raised whenever the same task may get another reply.
constexpr int kRulesVersion = 2;

class Builtin final : public Generator {
 public:
  Json describe() const override { return {{"kind", "builtin"}, {"version", kRulesVersion}}; }
  int useful_turns(const Task&) const override { return 1; }

  Awaitable<Result<Proposal>> propose(const Task& task, const History&, Asking&) override {
    Proposal proposal;
    auto written = builtin::write_reply(task);
    if (auto* declined = std::get_if<builtin::Declined>(&written)) {
      Outcome outcome;
      outcome.kind = OutcomeKind::kNoCandidate;
      outcome.stage = Stage::kGenerate;
      outcome.reason = std::move(declined->reason);
      proposal.declined = std::move(outcome);
    } else {
      Reply reply;
      reply.text = std::get<std::string>(std::move(written));
      reply.origin = describe();
      proposal.reply = std::move(reply);
    }
    co_return proposal;
  }

  Extracted extract(const Reply& reply) const override { return kvgen::extract(reply); }
};

}  // namespace

std::unique_ptr<Generator> make_builtin() { return std::make_unique<Builtin>(); }

}  // namespace kvgen
