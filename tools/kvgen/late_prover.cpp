#include "late_prover.h"

#include <utility>

namespace kvgen::tools {

LateProver::LateProver(boost::asio::any_io_executor executor, Workshop& shop, Options options)
    : shop_(shop), options_(std::move(options)), opening_(std::move(executor), 1) {}

Awaitable<Result<void>> LateProver::open() {
  const Semaphore::Permit permit = co_await opening_.acquire();
  if (opened_) co_return *opened_;
  auto opened = co_await shop_.open_referee();
  if (opened.ok()) opened = co_await shop_.open_compiler_and_runner();
  if (opened.ok()) {
    verifier_.emplace(shop_.compiler(), shop_.runner(), shop_.referee(), shop_.machine(),
                      options_());
  }
  opened_ = opened;
  co_return opened;
}

Awaitable<Result<void>> LateProver::prove(Cases& cases, Attempt& attempt) {
  CO_TRY_VOID(co_await open());
  co_return co_await verifier_->prove(cases, attempt);
}

}  // namespace kvgen::tools
