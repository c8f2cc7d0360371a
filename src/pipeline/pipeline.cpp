#include "kvgen/pipeline/pipeline.h"

#include <algorithm>
#include <functional>

#include "kvgen/stage/all_of.h"
#include "pipeline/with_room.h"

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

Error time_is_up_error() { return {Code::kCancelled, "the time of this run is up"}; }

// Journals what a generator buys for one attempt.
class Purchase final : public Asking {
 public:
  Purchase(Journal& journal, PipelineObserver& observer, const Task& task, int turn,
           std::function<bool()> time_is_up)
      : journal_(journal),
        observer_(observer),
        task_(task),
        turn_(turn),
        time_is_up_(std::move(time_is_up)) {}

  Result<void> about_to_ask() override {
    if (time_is_up_()) return time_is_up_error();
    return journal_.about_to_ask(task_.hash, turn_);
  }
  Result<void> nothing_bought() override { return journal_.nothing_bought(task_.hash, turn_); }
  void waiting(const std::string& why) override { observer_.waits(task_, why); }

 private:
  Journal& journal_;
  PipelineObserver& observer_;
  const Task& task_;
  int turn_;
  std::function<bool()> time_is_up_;
};

double median_time(const Attempt& attempt) {
  return attempt.profile ? attempt.profile->candidate.median : 0;
}

class Listed final : public TaskSource {
 public:
  explicit Listed(const std::vector<Task>& tasks) : tasks_(tasks) {}
  Awaitable<Result<std::optional<Task>>> next() override {
    if (at_ == tasks_.size()) co_return std::nullopt;
    co_return tasks_[at_++];
  }

 private:
  const std::vector<Task>& tasks_;
  std::size_t at_ = 0;
};

}  // namespace

// A run of many tasks keeps of each what its report says; the journal has the rest.
void lighten(TaskResult& result) {
  for (Attempt& attempt : result.attempts) {
    attempt.reply.reset();
    attempt.builds.clear();
    attempt.normalised_plan = nullptr;
    attempt.card = nullptr;
    if (attempt.candidate) {
      attempt.candidate->source.clear();
      attempt.candidate->plan_text.clear();
    }
    if (attempt.verdict) attempt.verdict->cases.clear();
    if (attempt.profile) {
      attempt.profile->candidate.samples.clear();
      attempt.profile->reference.samples.clear();
    }
  }
}

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

Pipeline::Pipeline(Generator& generator, Prover& prover, Journal& journal,
                   PipelineObserver& observer, PipelineOptions options)
    : generator_(generator),
      prover_(prover),
      journal_(journal),
      observer_(observer),
      options_(std::move(options)) {}

Awaitable<Result<std::vector<TaskResult>>> Pipeline::run(TaskSource& tasks) {
  std::vector<TaskResult> results;
  std::optional<Error> fatal;
  const auto jobs = static_cast<std::size_t>(options_.jobs);
  co_await all_of(jobs, options_.jobs, [&](std::size_t) -> Awaitable<void> {
    while (!fatal && !time_is_up()) {
      auto task = co_await tasks.next();
      if (task.ok() && !*task) co_return;
      const std::size_t place = results.size();
      if (task.ok()) results.emplace_back();
      auto worked = task.ok() ? co_await work_on(**task) : Result<TaskResult>(task.error());
      if (worked.ok()) {
        results[place] = std::move(worked).value();
        lighten(results[place]);
      } else if (!fatal) {
        fatal = std::move(worked).error();
        ending_ = true;
      }
    }
  });
  if (fatal) co_return std::move(*fatal);
  co_return results;
}

Awaitable<Result<std::vector<TaskResult>>> Pipeline::run(const std::vector<Task>& tasks) {
  Listed listed(tasks);
  co_return co_await run(listed);
}

Awaitable<Result<TaskResult>> Pipeline::work_on(const Task& task) {
  TaskResult result;
  result.name = task.name;
  result.hash = task.hash;
  for (const std::string& mark : task.marks) {
    if (refuses(options_.refused_marks, mark)) result.refused = mark;
  }
  auto done = co_await take_turns(task, result);
  if (!done.ok()) {
    result.left = done.error().code() == Code::kCancelled && time_is_up();
    if (result.left) co_return result;
    if (ends_the_run(done.error())) co_return std::move(done).error();
    result.error = std::move(done).error();
  }
  observer_.task_finished(result);
  co_return result;
}

Awaitable<Result<void>> Pipeline::take_turns(const Task& task, TaskResult& result) {
  const auto with_room = [&](auto write) {
    return pipeline::with_room(options_.unattended, observer_, task,
                               [write]() -> Awaitable<Result<void>> { co_return write(); });
  };
  CO_TRY_VOID(co_await with_room([&] { return journal_.add_task(task); }));
  if (result.refused) co_return ok();  // its record says that it was seen
  CO_TRY(result.attempts, journal_.finished_attempts(task.hash));
  CO_TRY(const bool finished, journal_.task_finished(task.hash));
  if (finished) co_return ok();
  if (time_is_up()) co_return time_is_up_error();

  observer_.task_started(task);
  Cases cases(task);
  const int turns = std::min(options_.attempts, generator_.useful_turns(task));
  while (static_cast<int>(result.attempts.size()) < turns) {
    const bool good = !result.attempts.empty() && result.attempts.back().outcome.verified();
    if (good) break;
    if (time_is_up()) co_return time_is_up_error();
    const int turn = static_cast<int>(result.attempts.size());
    CO_TRY(Attempt attempt, co_await try_once(task, cases, turn, result.attempts));
    attempt.card = generator_.feedback(task, attempt);
    CO_TRY_VOID(co_await with_room([&] { return journal_.finish_attempt(attempt); }));
    observer_.attempt_finished(task, attempt);
    result.attempts.push_back(std::move(attempt));
  }
  co_return co_await with_room([&] { return journal_.finish_task(task.hash); });
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
  CO_TRY_VOID(co_await prover_.prove(cases, attempt));
  co_return attempt;
}

Awaitable<Result<void>> Pipeline::get_reply(const Task& task, const History& history,
                                            Attempt& attempt) {
  CO_TRY(attempt.reply, journal_.kept_reply(task.hash, attempt.turn));
  if (attempt.reply) co_return ok();

  Purchase purchase(journal_, observer_, task, attempt.turn, [this] { return time_is_up(); });
  CO_TRY(Proposal proposal,
         co_await pipeline::with_room(
             options_.unattended, observer_, task, [&]() -> Awaitable<Result<Proposal>> {
               CO_TRY_VOID(journal_.begin_attempt(task.hash, attempt.turn));
               co_return co_await generator_.propose(task, history, purchase);
             }));
  if (proposal.declined) {
    attempt.outcome = std::move(*proposal.declined);
    co_return ok();
  }
  attempt.reply = std::move(proposal.reply);
  co_return co_await pipeline::with_room(
      options_.unattended, observer_, task, [&]() -> Awaitable<Result<void>> {
        co_return journal_.keep_reply(task.hash, attempt.turn, *attempt.reply);
      });
}

bool Pipeline::time_is_up() const {
  if (ending_) return true;
  const auto& unattended = options_.unattended;
  return unattended && unattended->stop_at && unattended->clock.now() >= *unattended->stop_at;
}

}  // namespace kvgen
