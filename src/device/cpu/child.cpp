#include "device/cpu/child.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <exception>
#include <vector>

#include "device/cpu/jail.h"
#include "device/cpu/regions.h"
#include "kvgen/cpu/machine.h"

namespace kvgen {
namespace {

class Events final : public CpuEvents {
 public:
  explicit Events(ChildControl& control) : control_(control) {}

  [[noreturn]] void stop(const CpuFault& fault) override { stop(fault, -1, 0, CpuArea::kOther); }

  [[noreturn]] void stop(const CpuFault& fault, int region, std::int64_t offset, CpuArea area) {
    std::uint32_t first = 0;
    if (!control_.stopped.compare_exchange_strong(first, 1)) {
      while (true) __builtin_ia32_pause();  // another thread is about to end the process
    }
    control_.fault = fault;
    control_.region = region;
    control_.offset = offset;
    control_.area = static_cast<std::uint32_t>(area);
    control_.stopped.store(2);
    ::_exit(0);
  }

  void print(const char* text, std::uint32_t bytes) override {
    const std::uint32_t at = control_.printed.fetch_add(bytes);
    if (at >= ChildControl::kPrintedLimit) return;
    std::memcpy(control_.text + at, text, std::min(bytes, ChildControl::kPrintedLimit - at));
  }

 private:
  ChildControl& control_;
};

// What the signal handler needs; a handler has no argument for it.
Events* handler_events = nullptr;
const std::vector<Region>* handler_regions = nullptr;

[[noreturn]] void tell_access(CpuFault fault, const char* address) {
  const CpuArea area = CpuMachine::area_of(address);
  if (area == CpuArea::kStackGuard) fault.kind = CpuFault::Kind::kStackOverflow;
  for (std::size_t i = 0; i < handler_regions->size(); ++i) {
    const Region& region = (*handler_regions)[i];
    if (address < region.reserved_low || address >= region.reserved_high) continue;
    handler_events->stop(fault, static_cast<int>(i), address - region.data, area);
  }
  handler_events->stop(fault, -1, 0, area);
}

// ud2, which __builtin_trap becomes.
bool is_trap(long long instruction) {
  const auto* const code = reinterpret_cast<const unsigned char*>(instruction);
  return code[0] == 0x0f && code[1] == 0x0b;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  CpuFault fault;
  if (!CpuMachine::here(fault, reinterpret_cast<const void*>(registers[REG_RIP]))) {
    // Ours, unless a candidate wrote where it should not: the parent asks the canary.
    ::signal(signal, SIG_DFL);
    return;
  }
  switch (signal) {
    case SIGFPE:
      fault.kind = CpuFault::Kind::kArithmetic;
      break;
    case SIGILL:
      fault.kind = is_trap(registers[REG_RIP]) ? CpuFault::Kind::kTrap : CpuFault::Kind::kIllegal;
      break;
    default:
      fault.kind = CpuFault::Kind::kAccess;
      fault.writes = (registers[REG_ERR] & 2) != 0 ? 1 : 0;
      // An address that is not canonical comes without its value.
      fault.known_address = signal == SIGSEGV && info->si_code == SI_KERNEL ? 0 : 1;
      fault.address = reinterpret_cast<std::uint64_t>(info->si_addr);
      if (fault.known_address != 0) tell_access(fault, static_cast<const char*>(info->si_addr));
  }
  handler_events->stop(fault);
}

void catch_signals() {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) ::sigaction(signal, &action, nullptr);
}

class CpuStream final : public Stream {
 public:
  CpuStream(const CpuObject& object, CpuMachine& machine) : object_(object), machine_(machine) {}

  void launch(const BoundLaunch& bound) override {
    const ResolvedLaunch& plan = *bound.plan;
    const auto index = [](const std::int64_t (&of)[3]) {
      return kvgen_cpu_index{static_cast<unsigned>(of[0]), static_cast<unsigned>(of[1]),
                             static_cast<unsigned>(of[2])};
    };
    CpuLaunch launch;
    launch.entry = object_.entry(plan.symbol);
    launch.loop = object_.loop(plan.symbol);
    launch.grid = index(plan.grid);
    launch.block = index(plan.block);
    launch.dynamic_lds = static_cast<std::uint32_t>(plan.dynamic_lds);
    launch.arguments = bound.arguments;
    machine_.launch(launch);
  }

  void fill(const BoundFill& fill) override {
    auto* const to = reinterpret_cast<char*>(fill.to);
    const auto step = static_cast<std::size_t>(fill.element_bytes);
    for (std::int64_t done = 0; done < fill.bytes; done += fill.element_bytes) {
      std::memcpy(to + done, &fill.bits, step);
    }
  }

  void copy(const BoundCopy& copy) override {
    std::memmove(reinterpret_cast<void*>(copy.to), reinterpret_cast<const void*>(copy.from),
                 static_cast<std::size_t>(copy.bytes));
  }

  void wait() override {}

 private:
  const CpuObject& object_;
  CpuMachine& machine_;
};

class Child {
 public:
  explicit Child(const ChildTask& task) : task_(task), events_(*task.control) {}

  [[noreturn]] void live() {
    auto ready = set_up();
    if (!ready.ok()) {
      std::strncpy(task_.control->own_error, ready.error().message().c_str(),
                   sizeof task_.control->own_error - 1);
      tell(kFailed);
      ::_exit(1);
    }
    CpuStream stream(task_.object, *machine_);
    issue(prepare_, stream);
    ChildOrder order;
    while (::read(task_.orders, &order, sizeof order) == sizeof order) {
      const std::uint32_t windows = order.cold != 0 ? order.runs : 1;
      const std::uint32_t runs = order.cold != 0 ? 1 : order.runs;
      for (std::uint32_t w = 0; w < windows; ++w) {
        poison_buffers();
        if (order.cold != 0) flush_.flush(*machine_);
        await_go();
        for (std::uint32_t r = 0; r < runs; ++r) issue(run_, stream);
        tell(kDone);
      }
    }
    ::_exit(0);
  }

 private:
  Result<void> set_up() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    TRY(mapped_, map_regions(task_.run));
    prepare_ = bind_steps(task_.run.plan.prepare, mapped_.addresses);
    run_ = bind_steps(task_.run.plan.run, mapped_.addresses);
    CpuMachineOptions options;
    options.threads = task_.threads;
    options.block_threads = task_.block_threads;
    options.schedule = task_.run.schedule == "reverse"  ? CpuSchedule::kReverse
                       : task_.run.schedule == "random" ? CpuSchedule::kRandom
                                                        : CpuSchedule::kForward;
    options.seed = task_.run.poison_seed + 1;
    TRY(machine_, CpuMachine::create(task_.object, options, events_));
    if (task_.flushes) TRY_VOID(flush_.prepare(task_.caches, task_.threads));
    handler_events = &events_;
    handler_regions = &mapped_.regions;
    catch_signals();
    // Every descriptor but the two pipes, the arenas' own among them.
    const auto low = static_cast<unsigned>(std::min(task_.orders, task_.signals));
    const auto high = static_cast<unsigned>(std::max(task_.orders, task_.signals));
    if (low > 0) ::close_range(0, low - 1, 0);
    if (high > low + 1) ::close_range(low + 1, high - 1, 0);
    ::close_range(high + 1, ~0U, 0);
    JailLimits limits;
    limits.read_fd = task_.orders;
    limits.write_fd = task_.signals;
    limits.cpu_seconds =
        task_.flushes ? kSessionCpuSeconds : (task_.run.budget_ms / 1000 + 2) * task_.threads;
    return enter_jail(limits);
  }

  // Nothing of an earlier window is left for a run to find, but what `prepare` made.
  void poison_buffers() const {
    const auto& buffers = task_.run.plan.buffers;
    const std::uint64_t pattern = poison_pattern(task_.run.poison_seed + window_);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].keep) continue;
      poison(reinterpret_cast<char*>(mapped_.addresses.buffers[i]), buffers[i].bytes, pattern);
    }
  }

  void tell(char what) const {
    if (::write(task_.signals, &what, 1) != 1) ::_exit(1);
  }

  // Spins: the parent starts its clock and lets us go a few microseconds after it hears.
  void await_go() {
    tell(kReady);
    ++window_;
    for (int spins = 0; task_.control->go.load(std::memory_order_acquire) != window_; ++spins) {
      __builtin_ia32_pause();
      if (spins > kSpins) ::sched_yield();
    }
  }

  static constexpr int kSpins = 2000;
  static constexpr std::int64_t kSessionCpuSeconds = 24 * 3600;

  const ChildTask& task_;
  Events events_;
  MappedRegions mapped_;
  std::vector<BoundStep> prepare_;
  std::vector<BoundStep> run_;
  std::unique_ptr<CpuMachine> machine_;
  CacheFlush flush_;
  std::uint32_t window_ = 0;
};

}  // namespace

void live_as_child(const ChildTask& task) {
  try {
    Child(task).live();
  } catch (const std::exception&) {
    ::_exit(1);
  }
}

}  // namespace kvgen
