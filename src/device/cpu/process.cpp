#include "device/cpu/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace kvgen {
namespace {

Error refused(std::string_view doing) {
  Error error(Code::kFull, std::string(doing) + ": " + std::strerror(errno));
  error.set_retryable();
  return error;
}

}  // namespace

Result<CandidateProcess> CandidateProcess::start(ChildTask task) {
  CandidateProcess process;
  void* const page = ::mmap(nullptr, sizeof(ChildControl), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return refused("cannot share memory with a child");
  process.control_ = new (page) ChildControl;
  int orders[2];
  int signals[2];
  if (::pipe2(orders, O_CLOEXEC) != 0) return refused("cannot make a pipe");
  UniqueFd orders_out(orders[0]);
  process.orders_.reset(orders[1]);
  if (::pipe2(signals, O_CLOEXEC) != 0) return refused("cannot make a pipe");
  UniqueFd signals_in(signals[1]);
  process.signals_.reset(signals[0]);

  task.control = process.control_;
  task.orders = orders_out.get();
  task.signals = signals_in.get();
  const pid_t pid = ::fork();
  if (pid < 0) return refused("cannot fork a child");
  if (pid == 0) live_as_child(task);
  process.pid_ = pid;
  return process;
}

CandidateProcess::CandidateProcess(CandidateProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      status_(other.status_),
      control_(std::exchange(other.control_, nullptr)),
      orders_(std::move(other.orders_)),
      signals_(std::move(other.signals_)) {}

CandidateProcess::~CandidateProcess() {
  end();
  if (control_ != nullptr) ::munmap(control_, sizeof(ChildControl));
}

Result<void> CandidateProcess::order(const ChildOrder& order) const {
  // A child that has ended is heard of, not written to: SIGPIPE is ignored by the engine.
  if (::write(orders_.get(), &order, sizeof order) != sizeof order && errno != EPIPE) {
    return refused("cannot write to a child");
  }
  return ok();
}

std::optional<char> CandidateProcess::hear(Instant deadline) const {
  while (true) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= left.zero()) return std::nullopt;
    pollfd waiting{signals_.get(), POLLIN, 0};
    const auto nanoseconds = std::chrono::nanoseconds(left).count();
    const timespec limit{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    const int ready = ::ppoll(&waiting, 1, &limit, nullptr);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return std::nullopt;
    char byte = '\0';
    return ::read(signals_.get(), &byte, 1) == 1 ? byte : '\0';
  }
}

void CandidateProcess::let_go() { control_->go.fetch_add(1, std::memory_order_release); }

int CandidateProcess::end() {
  if (pid_ < 0) return status_;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status_;
}

}  // namespace kvgen
