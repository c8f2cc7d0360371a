#include "kvgen/pool/worker_group.h"

#include <algorithm>

namespace kvgen {

struct WorkerGroup::Slot {
  explicit Slot(const boost::asio::any_io_executor& executor) : free(executor, 1) {}
  Semaphore free;
  int waiting = 0;
  [[nodiscard]] int load() const { return waiting + 1 - free.available(); }
  std::uint64_t incarnation = 0;
  std::unique_ptr<WorkerProcess> process;
};

WorkerGroup::WorkerGroup(boost::asio::any_io_executor executor, WorkerCommand command, int size,
                         Log& log)
    : executor_(std::move(executor)), command_(std::move(command)), log_(log) {
  for (int i = 0; i < size; ++i) slots_.push_back(std::make_unique<Slot>(executor_));
}

WorkerGroup::~WorkerGroup() = default;

Awaitable<WorkerGroup::Lease> WorkerGroup::lease() {
  const auto best =
      std::min_element(slots_.begin(), slots_.end(),
                       [](const auto& a, const auto& b) { return a->load() < b->load(); });
  co_return co_await lease(static_cast<int>(best - slots_.begin()));
}

Awaitable<WorkerGroup::Lease> WorkerGroup::lease(int slot) {
  Slot& chosen = *slots_[static_cast<std::size_t>(slot)];
  struct Waiting {
    explicit Waiting(Slot& in) : slot(in) { ++slot.waiting; }
    ~Waiting() { --slot.waiting; }
    Slot& slot;
  } waiting{chosen};
  Semaphore::Permit permit = co_await chosen.free.acquire();
  co_return Lease(this, slot, std::move(permit));
}

Awaitable<Result<Message>> WorkerGroup::Lease::ask(std::string op, Message body,
                                                   std::chrono::milliseconds deadline) {
  Slot& slot = *group_->slots_[static_cast<std::size_t>(slot_)];
  if (slot.process == nullptr || !slot.process->alive()) {
    auto started = WorkerProcess::start(group_->executor_, group_->command_);
    if (!started.ok()) co_return std::move(started).error();
    slot.process = std::move(started).value();
    ++slot.incarnation;
    group_->log_.debug(group_->name() + " " + std::to_string(slot_) + " started as process " +
                       std::to_string(slot.process->pid()));
  }
  auto reply = co_await slot.process->ask(std::move(op), std::move(body), deadline);
  if (!slot.process->alive()) {
    group_->log_.warning(reply.ok() ? group_->name() + " ended" : reply.error().message());
    slot.process.reset();
  }
  co_return reply;
}

std::uint64_t WorkerGroup::Lease::incarnation() const {
  const Slot& slot = *group_->slots_[static_cast<std::size_t>(slot_)];
  return slot.process != nullptr && slot.process->alive() ? slot.incarnation : slot.incarnation + 1;
}

void WorkerGroup::Lease::discard() {
  group_->slots_[static_cast<std::size_t>(slot_)]->process.reset();
}

Awaitable<Result<Message>> WorkerGroup::ask_any(std::string op, Message body,
                                                std::chrono::milliseconds deadline, int tries) {
  for (int left = tries;; --left) {
    Lease worker = co_await lease();
    auto reply = co_await worker.ask(op, body, deadline);
    if (reply.ok() || left <= 1 || !worker_failed(reply.error())) co_return reply;
  }
}

std::vector<pid_t> WorkerGroup::pids() const {
  std::vector<pid_t> list;
  for (const auto& slot : slots_) {
    if (slot->process != nullptr && slot->process->alive()) list.push_back(slot->process->pid());
  }
  return list;
}

bool worker_failed(const Error& error) {
  return error.code() == Code::kWorker || error.code() == Code::kTimeout;
}

}  // namespace kvgen
