#include "kvgen/pipeline/pipeline.h"

#include <algorithm>

#include "kvgen/stage/all_of.h"

namespace kvgen {
namespace {

// Errors after which every other task would fail too.
bool ends_the_run(const Error& error) {
  switch (error.code()) {
    case Code::kFull:
    case Code::kDenied:
    case Code::kIo:
    case Code::kMissing:
    case Code::kUsage:
    case Code::kCancelled:
    case Code::kConflict:
      return true;
    default:
      return false;
  }
}

bool refuses(const std::vector<std::string>& refused, const std::string& mark) {
  return std::any_of(refused.begin(), refused.end(), [&](const std::string& word) {
    return mark == word || mark.starts_with(word + ":");
  });
}

// Journals what a generator buys for one attempt.
class Purchase final : public Asking {
 public:
  Purchase(Journal& journal, PipelineObserver& observer, const Task& task, int turn)
      : journal_(journal), observer_(observer), task_(task), turn_(turn) {}

  Result<void> about_to_ask() override { return journal_.about_to_ask(task_.hash, turn_); }
  Result<void> nothing_bought() override { return journal_.nothing_bought(task_.hash, turn_); }
  void waiting(const std::string& why) override { observer_.waits(task_, why); }

 private:
  Journal& journal_;
  PipelineObserver& observer_;
  const Task& task_;
  int turn_;
};

double median_time(const Attempt& attempt) {
  return attempt.profile ? attempt.profile->candidate.median : 0;
}

}  // namespace

const Attempt* TaskResult::best() const {
  const Attempt* best = nullptr;
  for (const Attempt& attempt : attempts) {
    if (best == nullptr || !best->outcome.verified()) {
      best = &attempt;
    } else if (attempt.outcome.verified() && attempt.profile &&
               (!best->profile || median_time(attempt) < median_time(*best))) {
      best = &attempt;
    }
  }
  return best;
}

Pipeline::Pipeline(Generator& generator, Verifier& verifier, Journal& journal,
                   PipelineObserver& observer, PipelineOptions options)
    : generator_(generator),
      verifier_(verifier),
      journal_(journal),
      observer_(observer),
      options_(std::move(options)) {}

Awaitable<Result<std::vector<TaskResult>>> Pipeline::run(const std::vector<Task>& tasks) {
  std::vector<TaskResult> results(tasks.size());
  std::optional<Error> fatal;
  co_await all_of(tasks.size(), options_.jobs, [&](std::size_t i) -> Awaitable<void> {
    if (fatal) co_return;
    auto worked = co_await work_on(tasks[i]);
    if (worked.ok()) {
      results[i] = std::move(worked).value();
    } else if (!fatal) {
      fatal = std::move(worked).error();
    }
  });
  if (fatal) co_return std::move(*fatal);
  co_return results;
}

Awaitable<Result<TaskResult>> Pipeline::work_on(const Task& task) {
  TaskResult result;
  result.name = task.name;
  result.hash = task.hash;
  for (const std::string& mark : task.marks) {
    if (refuses(options_.refused_marks, mark)) result.refused = mark;
  }
  if (!result.refused) {
    auto done = co_await take_turns(task, result);
    if (!done.ok()) {
      if (ends_the_run(done.error())) co_return std::move(done).error();
      result.error = std::move(done).error();
    }
  }
  observer_.task_finished(result);
  co_return result;
}

Awaitable<Result<void>> Pipeline::take_turns(const Task& task, TaskResult& result) {
  CO_TRY_VOID(journal_.add_task(task));
  CO_TRY(result.attempts, journal_.finished_attempts(task.hash));
  CO_TRY(const bool finished, journal_.task_finished(task.hash));
  if (finished) co_return ok();

  observer_.task_started(task);
  Cases cases(task);
  const int turns = std::min(options_.attempts, generator_.useful_turns(task));
  while (static_cast<int>(result.attempts.size()) < turns) {
    const bool good = !result.attempts.empty() && result.attempts.back().outcome.verified();
    if (good) break;
    const int turn = static_cast<int>(result.attempts.size());
    CO_TRY(Attempt attempt, co_await try_once(task, cases, turn, result.attempts));
    attempt.card = generator_.feedback(task, attempt);
    CO_TRY_VOID(journal_.finish_attempt(attempt));
    observer_.attempt_finished(task, attempt);
    result.attempts.push_back(std::move(attempt));
  }
  co_return journal_.finish_task(task.hash);
}

Awaitable<Result<Attempt>> Pipeline::try_once(const Task& task, Cases& cases, int turn,
                                              const History& history) {
  Attempt attempt;
  attempt.task_hash = task.hash;
  attempt.turn = turn;
  if (const Attempt* parent = generator_.parent(history)) attempt.parent = parent->id();
  CO_TRY_VOID(co_await get_reply(task, history, attempt));
  if (!attempt.reply) co_return attempt;

  Extracted extracted = generator_.extract(*attempt.reply);
  attempt.candidate = std::move(extracted.candidate);
  if (!attempt.candidate) {
    attempt.outcome = std::move(extracted.outcome).value();
    co_return attempt;
  }
  CO_TRY_VOID(co_await verifier_.prove(cases, attempt));
  co_return attempt;
}

Awaitable<Result<void>> Pipeline::get_reply(const Task& task, const History& history,
                                            Attempt& attempt) {
  CO_TRY(attempt.reply, journal_.kept_reply(task.hash, attempt.turn));
  if (attempt.reply) co_return ok();

  CO_TRY_VOID(journal_.begin_attempt(task.hash, attempt.turn));
  Purchase purchase(journal_, observer_, task, attempt.turn);
  CO_TRY(Proposal proposal, co_await generator_.propose(task, history, purchase));
  if (proposal.declined) {
    attempt.outcome = std::move(*proposal.declined);
    co_return ok();
  }
  attempt.reply = std::move(proposal.reply);
  co_return journal_.keep_reply(task.hash, attempt.turn, *attempt.reply);
}

}  // namespace kvgen
