#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kvgen/stage/compiler.h"
#include "kvgen/stage/generator.h"
#include "kvgen/stage/journal.h"
#include "kvgen/stage/referee.h"
#include "kvgen/stage/runner.h"

// Stages that answer as told and record what they were asked.

namespace kvgen::testing {

class FakeGenerator : public Generator {
 public:
  std::vector<Proposal> proposals;  // by turn; the last one again after that
  int turns = 1000;
  bool paid = false;
  std::vector<std::size_t> asked;  // the length of the history at each call
  std::function<void()> on_propose;

  Json describe() const override { return {{"kind", "fake"}}; }
  int useful_turns(const Task&) const override { return turns; }
  Awaitable<Result<Proposal>> propose(const Task&, const History& history,
                                      Asking& asking) override {
    asked.push_back(history.size());
    if (on_propose) on_propose();
    if (paid) CO_TRY_VOID(asking.about_to_ask());
    co_return proposals[std::min(history.size(), proposals.size() - 1)];
  }
  // The reply's text is the plan; "no candidate" has none.
  Extracted extract(const Reply& reply) const override {
    if (reply.text == "no candidate") {
      return {std::nullopt, Outcome{OutcomeKind::kNoCandidate, Stage::kExtract, "no block", {}}};
    }
    return {Candidate{"source", reply.text, candidate_hash("source", reply.text), {}}, {}};
  }

  static Proposal reply(std::string text) { return {Reply{std::move(text), {}}, std::nullopt}; }
  static Proposal declined(std::string reason) {
    return {std::nullopt,
            Outcome{OutcomeKind::kNoCandidate, Stage::kGenerate, std::move(reason), {}}};
  }
};

class FakeCompiler : public Compiler {
 public:
  std::function<Result<Compiled>(const CompileRequest&)> answer;
  std::vector<std::string> targets;

  Awaitable<Result<Compiled>> build(CompileRequest request) override {
    targets.push_back(request.target);
    co_return answer(request);
  }
};

class FakeRunner : public Runner {
 public:
  std::function<Result<RunSeen>(const RunRequest&)> answer = [](const RunRequest&) {
    return finished();
  };
  std::vector<std::string> schedules;
  int samples = 0;

  static Result<RunSeen> finished() {
    return RunSeen{true, "finished", "", Json::object(), "", 1000};
  }

  Awaitable<Result<RunSeen>> run(RunRequest request) override {
    schedules.push_back(request.schedule);
    co_return answer(request);
  }
  Awaitable<Result<std::unique_ptr<TimedRun>>> time(RunRequest request) override {
    CO_TRY(RunSeen first, answer(request));
    co_return std::make_unique<Timed>(*this, std::move(first));
  }
  std::string device() const override { return "cpu"; }
  std::string machine() const override { return "a fake, 2 cores"; }

 private:
  class Timed : public TimedRun {
   public:
    Timed(FakeRunner& owner, RunSeen first) : owner_(owner), first_(std::move(first)) {}
    const RunSeen& first() const override { return first_; }
    Awaitable<Result<RunSeen>> sample(int runs, bool) override {
      ++owner_.samples;
      RunSeen seen = first_;
      seen.wall_ns = 1000 * runs;
      co_return seen;
    }
    Awaitable<Result<void>> close() override { co_return ok(); }

   private:
    FakeRunner& owner_;
    RunSeen first_;
  };
};

class FakeReferee : public Referee {
 public:
  // Per opened case.
  std::function<Result<void>(const CaseRequest&)> admits = [](const CaseRequest&) { return ok(); };
  std::function<Judgement(const CaseRequest&)> judges = [](const CaseRequest& request) {
    return within(request);
  };
  std::vector<std::string> opened;
  std::vector<std::string> judged;

  static Judgement within(const CaseRequest& request) {
    CaseVerdict verdict{request.variant, request.distribution, request.seed, true};
    verdict.output_digest = "digest";
    return {verdict, {OutcomeKind::kVerified, Stage::kJudge, "within", {}}};
  }

  Awaitable<Result<RefereeCase>> open_case(const Task&, CaseRequest request) override {
    opened.push_back(request.variant + "/" + request.distribution);
    auto admitted = admits(request);
    if (!admitted.ok()) co_return std::move(admitted).error();
    co_return RefereeCase{std::move(request), {}, 1000, nullptr};
  }
  Awaitable<Result<ArenaRef>> new_outputs(const RefereeCase&, std::uint64_t) override {
    co_return ArenaRef{};
  }
  Awaitable<Result<Judgement>> judge(const RefereeCase& one, const ArenaRef&,
                                     std::uint64_t) override {
    judged.push_back(one.request.variant + "/" + one.request.distribution);
    co_return judges(one.request);
  }
  Awaitable<Result<std::int64_t>> time_reference(const RefereeCase&, int runs, bool, int) override {
    co_return 2000 * runs;
  }
  Awaitable<Result<std::vector<std::string>>> admit(const Task&, std::uint64_t) override {
    co_return std::vector<std::string>();
  }
  std::string describe() const override { return "fake libtorch"; }
};

// A journal in memory; `calls` is the order of what was written.
class MemoryJournal : public Journal {
 public:
  std::vector<std::string> calls;
  std::map<std::pair<std::string, int>, Reply> replies;
  std::map<std::string, std::vector<Attempt>> attempts;
  std::map<std::string, bool> finished;
  std::optional<Error> broken;  // every write fails with it

  Result<void> add_task(const Task& task) override { return write("task " + task.name); }
  Result<void> add_rejected_source(const std::string& source, const std::string&) override {
    return write("rejected " + source);
  }
  Result<void> begin_attempt(const std::string&, int turn) override {
    return write("begin " + std::to_string(turn));
  }
  Result<void> about_to_ask(const std::string&, int turn) override {
    return write("ask " + std::to_string(turn));
  }
  Result<void> nothing_bought(const std::string&, int turn) override {
    return write("nothing " + std::to_string(turn));
  }
  Result<void> keep_reply(const std::string& task, int turn, const Reply& reply) override {
    TRY_VOID(write("reply " + std::to_string(turn)));
    replies[{task, turn}] = reply;
    return ok();
  }
  Result<std::optional<Reply>> kept_reply(const std::string& task, int turn) override {
    const auto found = replies.find({task, turn});
    if (found == replies.end()) return std::optional<Reply>();
    return std::optional<Reply>(found->second);
  }
  Result<void> finish_attempt(const Attempt& attempt) override {
    TRY_VOID(write("finish " + std::to_string(attempt.turn)));
    attempts[attempt.task_hash].push_back(attempt);
    return ok();
  }
  Result<std::vector<Attempt>> finished_attempts(const std::string& task) override {
    return attempts[task];
  }
  Result<void> finish_task(const std::string& task) override {
    TRY_VOID(write("done"));
    finished[task] = true;
    return ok();
  }
  Result<bool> task_finished(const std::string& task) override { return finished[task]; }

 private:
  Result<void> write(std::string what) {
    if (broken) return *broken;
    calls.push_back(std::move(what));
    return ok();
  }
};

}  // namespace kvgen::testing
