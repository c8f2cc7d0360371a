#include "late_prover.h"

#include <utility>

#include "kvgen/plan/plan.h"
#include "kvgen/stage/all_of.h"

namespace kvgen::tools {

LateProver::LateProver(boost::asio::any_io_executor executor, Workshop& shop, Options options)
    : shop_(shop), options_(std::move(options)), opening_(std::move(executor), 1) {}

Awaitable<Result<void>> LateProver::open() {
  const Semaphore::Permit permit = co_await opening_.acquire();
  if (opened_) co_return *opened_;
  Result<void> opened = ok();
  co_await all_of(2, 2, [&](std::size_t i) -> Awaitable<void> {
    auto one = i == 0 ? co_await shop_.open_referee() : co_await shop_.open_compiler_and_runner();
    if (!one.ok() && opened.ok()) opened = std::move(one);
  });
  if (opened.ok()) {
    verifier_.emplace(shop_.compiler(), shop_.runner(), shop_.referee(), shop_.machine(),
                      options_());
  }
  opened_ = opened;
  co_return opened;
}

Awaitable<Result<void>> LateProver::prove(Cases& cases, Attempt& attempt) {
  // That a plan is none is known without starting workers.
  if (!is_open()) {
    if (const auto plan = parse_plan(attempt.candidate->plan_text); !plan.ok()) {
      attempt.outcome = plan.outcome();
      co_return ok();
    }
  }
  CO_TRY_VOID(co_await open());
  co_return co_await verifier_->prove(cases, attempt);
}

}  // namespace kvgen::tools
