#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kvgen/base/log.h"
#include "kvgen/base/result.h"
#include "kvgen/pool/worker_process.h"
#include "kvgen/stage/semaphore.h"

namespace kvgen {

// A fixed number of workers of one kind, started when first needed and again
// after a death. Must outlive its leases.
class WorkerGroup {
 public:
  WorkerGroup(boost::asio::any_io_executor executor, WorkerCommand command, int size, Log& log);
  ~WorkerGroup();

  // The right to talk to one worker. Returned when destroyed.
  class Lease {
   public:
    // Starts the worker if it is not running. Errors as WorkerProcess::ask.
    Awaitable<Result<Message>> ask(std::string op, Message body,
                                   std::chrono::milliseconds deadline);
    // Raised at each start: state kept by an earlier incarnation is gone.
    [[nodiscard]] std::uint64_t incarnation() const;
    [[nodiscard]] int slot() const { return slot_; }
    // Kills it; the next ask starts a fresh one.
    void discard();

   private:
    friend class WorkerGroup;
    Lease(WorkerGroup* group, int slot, Semaphore::Permit permit)
        : group_(group), slot_(slot), permit_(std::move(permit)) {}
    WorkerGroup* group_;
    int slot_;
    Semaphore::Permit permit_;
  };

  Awaitable<Lease> lease();          // the least wanted worker
  Awaitable<Lease> lease(int slot);  // this one

  // A request that any worker may answer, asked again of a fresh one when the
  // worker died; at most `tries` times.
  Awaitable<Result<Message>> ask_any(std::string op, Message body,
                                     std::chrono::milliseconds deadline, int tries = 5);

  [[nodiscard]] const std::string& name() const { return command_.name; }
  [[nodiscard]] int size() const { return static_cast<int>(slots_.size()); }
  [[nodiscard]] std::vector<pid_t> pids() const;

 private:
  struct Slot;
  boost::asio::any_io_executor executor_;
  WorkerCommand command_;
  Log& log_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

// Whether an error means that the worker, not the request, failed.
bool worker_failed(const Error& error);

}  // namespace kvgen
