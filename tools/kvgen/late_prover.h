#pragma once

#include <cstdint>
#include <optional>

#include "kvgen/pipeline/prover.h"
#include "kvgen/pipeline/verifier.h"
#include "kvgen/stage/semaphore.h"
#include "workshop.h"

namespace kvgen::tools {

// Proves with the workshop's workers, which it opens itself: meanwhile the run asks for
// its first replies.
class LateProver final : public Prover {
 public:
  using Options = std::function<VerifyOptions()>;  // asked for once the workers are there
  LateProver(boost::asio::any_io_executor executor, Workshop& shop, Options options);

  // Opens the workers unless that was done; the Error of the first call for all.
  Awaitable<Result<void>> open();
  [[nodiscard]] bool is_open() const { return opened_.has_value(); }

  Awaitable<Result<void>> prove(Cases& cases, Attempt& attempt) override;

 private:
  Workshop& shop_;
  Options options_;
  Semaphore opening_;
  std::optional<Result<void>> opened_;
  std::optional<Verifier> verifier_;
};

}  // namespace kvgen::tools
