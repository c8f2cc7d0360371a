#include "kvgen/cpu/machine.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include "cpu/runtime/block.h"
#include "cpu/runtime/memory.h"

namespace kvgen {
namespace {

constexpr int kSpins = 4000;  // about 20 us, then sleep
constexpr std::size_t kSignalStack = 64 << 10;

// Position p of the launch's order => block.
class BlockOrder {
 public:
  BlockOrder() = default;
  BlockOrder(CpuSchedule schedule, std::uint64_t seed, std::uint64_t blocks)
      : schedule_(schedule), blocks_(blocks) {
    if (schedule != CpuSchedule::kRandom) return;
    // p -> step * p + start is a permutation when step and blocks share no divisor.
    step_ = (seed * 0x9e3779b97f4a7c15ULL >> 1U) % blocks | 1U;
    while (std::gcd(step_, blocks) != 1) ++step_;
    start_ = (seed ^ 0xd1b54a32d192ed03ULL) % blocks;
  }

  [[nodiscard]] std::uint64_t at(std::uint64_t position) const {
    switch (schedule_) {
      case CpuSchedule::kReverse:
        return blocks_ - 1 - position;
      case CpuSchedule::kRandom:
        return static_cast<std::uint64_t>(
            (static_cast<unsigned __int128>(position) * step_ + start_) % blocks_);
      case CpuSchedule::kForward:
        break;
    }
    return position;
  }

 private:
  CpuSchedule schedule_ = CpuSchedule::kForward;
  std::uint64_t blocks_ = 1;
  std::uint64_t step_ = 1;
  std::uint64_t start_ = 0;
};

class ThreadedMachine final : public CpuMachine {
 public:
  ThreadedMachine(const CpuMachineOptions& options) : options_(options) {}

  Result<void> start(const CpuObject& object, CpuEvents& events) {
    for (unsigned i = 0; i < options_.threads; ++i) {
      CpuMachineOptions own = options_;
      own.seed = options_.seed + i;
      TRY(auto runner, BlockRunner::create(object, own, events));
      runners_.push_back(std::move(runner));
      TRY(Mapping stack, Mapping::reserve(kSignalStack));
      TRY_VOID(stack.open(0, kSignalStack));
      signal_stacks_.push_back(std::move(stack));
    }
    use_signal_stack(0);
    try {
      for (unsigned i = 1; i < options_.threads; ++i) {
        threads_.emplace_back([this, i] { serve(i); });
      }
    } catch (const std::system_error& failed) {
      Error error(Code::kFull, std::string("cannot start a thread: ") + failed.what());
      error.set_retryable();
      return error;
    }
    everywhere([](void*, unsigned) {}, nullptr);
    return ok();
  }

  ~ThreadedMachine() override {
    leaving_ = true;
    begin_round();
    for (std::thread& thread : threads_) thread.join();
  }

  void launch(const CpuLaunch& launch) override {
    launch_ = launch;
    blocks_ = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    order_ = BlockOrder(options_.schedule, options_.seed, blocks_);
    chunk_ = std::clamp<std::uint64_t>(blocks_ / (std::uint64_t{options_.threads} * 16), 1, 1024);
    next_.store(0, std::memory_order_relaxed);
    if (blocks_ == 1 || options_.threads == 1) {
      run_blocks(0);
    } else {
      everywhere([](void* self, unsigned i) { static_cast<ThreadedMachine*>(self)->run_blocks(i); },
                 this);
    }
    ++number_;
  }

  void everywhere(void (*function)(void*, unsigned), void* context) override {
    function_ = function;
    context_ = context;
    waiting_for_.store(static_cast<unsigned>(threads_.size()), std::memory_order_relaxed);
    begin_round();
    function(context, 0);
    await(waiting_for_, [](unsigned left) { return left == 0; });
  }

 private:
  template <class Ready>
  static unsigned await(const std::atomic<unsigned>& word, Ready ready) {
    for (int i = 0; i < kSpins; ++i) {
      const unsigned value = word.load(std::memory_order_acquire);
      if (ready(value)) return value;
      __builtin_ia32_pause();
    }
    while (true) {
      const unsigned value = word.load(std::memory_order_acquire);
      if (ready(value)) return value;
      word.wait(value, std::memory_order_acquire);
    }
  }

  void begin_round() {
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }

  void use_signal_stack(unsigned thread) {
    stack_t stack = {};
    stack.ss_sp = signal_stacks_[thread].data();
    stack.ss_size = signal_stacks_[thread].size();
    ::sigaltstack(&stack, nullptr);
  }

  void serve(unsigned thread) {
    use_signal_stack(thread);
    unsigned seen = 0;
    while (true) {
      seen = await(round_, [seen](unsigned now) { return now != seen; });
      if (leaving_) return;
      function_(context_, thread);
      if (waiting_for_.fetch_sub(1, std::memory_order_acq_rel) == 1) waiting_for_.notify_all();
    }
  }

  void run_blocks(unsigned thread) {
    BlockRunner& runner = *runners_[thread];
    runner.begin(launch_, number_);
    while (true) {
      const std::uint64_t from = next_.fetch_add(chunk_, std::memory_order_relaxed);
      if (from >= blocks_) return;
      const std::uint64_t to = std::min(blocks_, from + chunk_);
      for (std::uint64_t p = from; p < to; ++p) runner.run(order_.at(p));
    }
  }

  const CpuMachineOptions options_;
  std::vector<std::unique_ptr<BlockRunner>> runners_;
  std::vector<Mapping> signal_stacks_;
  std::vector<std::thread> threads_;

  CpuLaunch launch_;
  BlockOrder order_;
  std::uint64_t blocks_ = 0;
  std::uint64_t chunk_ = 1;
  std::uint32_t number_ = 0;
  void (*function_)(void*, unsigned) = nullptr;
  void* context_ = nullptr;
  bool leaving_ = false;
  alignas(64) std::atomic<unsigned> round_ = 0;
  alignas(64) std::atomic<unsigned> waiting_for_ = 0;
  alignas(64) std::atomic<std::uint64_t> next_ = 0;
};

}  // namespace

Result<std::unique_ptr<CpuMachine>> CpuMachine::create(const CpuObject& object,
                                                       const CpuMachineOptions& options,
                                                       CpuEvents& events) {
  auto machine = std::make_unique<ThreadedMachine>(options);
  TRY_VOID(machine->start(object, events));
  return std::unique_ptr<CpuMachine>(std::move(machine));
}

bool CpuMachine::here(CpuFault& fault, const void* code) {
  const BlockRunner* const runner = BlockRunner::current();
  if (runner == nullptr) return false;
  fault = runner->here();
  fault.code_offset = runner->code_offset(code);
  return true;
}

CpuArea CpuMachine::area_of(const void* address) {
  const BlockRunner* const runner = BlockRunner::current();
  return runner == nullptr ? CpuArea::kOther : runner->area_of(address);
}

}  // namespace kvgen
