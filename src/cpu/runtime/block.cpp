#include "cpu/runtime/block.h"

#include <algorithm>
#include <bit>
#include <cstring>

// Saves the callee-saved registers on the running stack and goes on with whatever
// stack kvgen_cpu_schedule returns. Out of line, so no red zone is in use.
asm(R"(
.text
.hidden kvgen_cpu_suspend
.globl kvgen_cpu_suspend
.type kvgen_cpu_suspend,@function
.p2align 4
kvgen_cpu_suspend:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, %rsi
  subq $8, %rsp
  callq kvgen_cpu_schedule
  movq %rax, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size kvgen_cpu_suspend, .-kvgen_cpu_suspend
)");

extern "C" void kvgen_cpu_suspend(int leave);

namespace kvgen {
namespace {

constinit thread_local BlockRunner* running = nullptr;

constexpr std::uint64_t bit(unsigned lane) { return std::uint64_t{1} << lane; }

constexpr std::size_t kLdsArea = kCpuDynamicLdsLimit;

}  // namespace

extern "C" [[noreturn]] void kvgen_cpu_fiber();

BlockRunner* BlockRunner::current() { return running; }

Result<std::unique_ptr<BlockRunner>> BlockRunner::create(const CpuObject& object,
                                                         const CpuMachineOptions& options,
                                                         CpuEvents& events) {
  std::unique_ptr<BlockRunner> runner(new BlockRunner(options, events));
  TRY(runner->object_, LoadedObject::load(object));
  TRY(runner->stacks_, Stacks::reserve(std::max(1U, options.block_threads)));
  TRY(runner->dynamic_lds_, Mapping::reserve(kLdsArea + 2 * kPageBytes));
  TRY_VOID(runner->dynamic_lds_.open(kPageBytes, kLdsArea));
  runner->idle_.reserve(options.block_threads);
  runner->idle_stack_numbers_.reserve(options.block_threads);
  runner->forward_ = options.schedule == CpuSchedule::kForward;
  runner->context_ = &runner->object_.context();
  runner->random_state_ = (options.seed * 0x9e3779b97f4a7c15ULL) | 1U;
  // Halves of 0xfff1 to 0xffff: NaN as float64, float32, float16 and bfloat16, a
  // small negative number as an integer.
  for (int half = 0; half < 4; ++half) {
    const std::uint64_t low = 1 + runner->random() % 15;
    runner->poison_ = (runner->poison_ << 16U) | 0xfff0U | low;
  }
  return runner;
}

std::uint64_t BlockRunner::random() {
  random_state_ ^= random_state_ << 13U;
  random_state_ ^= random_state_ >> 7U;
  random_state_ ^= random_state_ << 17U;
  return random_state_;
}

void BlockRunner::begin(const CpuLaunch& launch, std::uint32_t number) {
  kvgen_cpu_context& context = *context_;
  const kvgen_cpu_index dim = launch.block;
  const bool same_block = threads_ != 0 && std::memcmp(&launch_.block, &dim, sizeof dim) == 0;
  launch_ = launch;
  number_ = number;
  entry_ = object_.function(launch.entry);
  // Other schedules exist to show what an order hides: they take thread after thread.
  loop_ = forward_ ? object_.function(launch.loop) : nullptr;
  arguments_ = launch.arguments.data();
  threads_ = dim.x * dim.y * dim.z;
  waves_count_ = (threads_ + KVGEN_CPU_WAVE - 1) / KVGEN_CPU_WAVE;
  for (unsigned t = 0; t < threads_ && !same_block; ++t) {
    lanes_[t].index = {t % dim.x, t / dim.x % dim.y, t / (dim.x * dim.y)};
  }
  // Ends at the page without access, or begins at the one before: an
  // access past either end faults under one of the schedules.
  const std::size_t held = (launch.dynamic_lds + 15UL) / 16 * 16;
  const bool at_start = options_.schedule == CpuSchedule::kReverse;
  dynamic_begin_ = dynamic_lds_.data() + kPageBytes + (at_start ? 0 : kLdsArea - held);
  object_.set_dynamic_lds(dynamic_begin_);
  context = {};
  context.block_dim = dim;
  context.grid_dim = launch.grid;
  context.dynamic_lds = launch.dynamic_lds;
}

void BlockRunner::poison_lds() {
  const auto fill = [this](char* from, std::size_t bytes) {
    std::size_t done = 0;
    for (; done + sizeof poison_ <= bytes; done += sizeof poison_) {
      std::memcpy(from + done, &poison_, sizeof poison_);
    }
    std::memcpy(from + done, &poison_, bytes - done);
  };
  const auto lds = object_.static_lds();
  if (!lds.empty()) fill(lds.data(), lds.size());
  if (launch_.dynamic_lds != 0) fill(dynamic_begin_, launch_.dynamic_lds);
}

void BlockRunner::reset_waves() {
  for (unsigned w = 0; w < waves_count_; ++w) {
    Wave& wave = waves_[w];
    const unsigned lanes = std::min(threads_ - w * KVGEN_CPU_WAVE, unsigned{KVGEN_CPU_WAVE});
    wave.ready = lanes == 64 ? ~std::uint64_t{0} : bit(lanes) - 1;
    wave.fresh = wave.ready;
    wave.at_barrier = wave.at_operation = wave.exited = 0;
    wave.lowest_site = wave.lowest_operation_site = ~0U;
    wave.highest_site = wave.highest_operation_site = 0;
    wave.active.fill(wave.ready);
  }
  runnable_ = (1U << waves_count_) - 1;
  vote_count_ = 0;
}

void BlockRunner::run(std::uint64_t block) {
  kvgen_cpu_context& context = *context_;
  const std::uint64_t row = std::uint64_t{launch_.grid.x} * launch_.grid.y;
  context.block_idx = {static_cast<unsigned>(block % launch_.grid.x),
                       static_cast<unsigned>(block / launch_.grid.x % launch_.grid.y),
                       static_cast<unsigned>(block / row)};
  running = this;
  poison_lds();
  if (loop_ != nullptr) {
    loop_(arguments_);
  } else {
    reset_waves();
    go_to_wave(pick_wave(runnable_));
    kvgen_cpu_suspend(static_cast<int>(Leave::kMain));
  }
  running = nullptr;
}

inline void BlockRunner::enter(unsigned lane) {
  lane_ = lane;
  context_->thread_idx = wave_lanes_[lane].index;
  context_->lane = lane;
  context_->linear = first_thread_ + lane;
}

void BlockRunner::go_to_wave(unsigned wave) {
  wave_ = &waves_[wave];
  first_thread_ = wave * KVGEN_CPU_WAVE;
  wave_lanes_ = &lanes_[first_thread_];
}

unsigned BlockRunner::pick_lane(std::uint64_t lanes) {
  switch (options_.schedule) {
    case CpuSchedule::kReverse:
      return 63U - static_cast<unsigned>(std::countl_zero(lanes));
    case CpuSchedule::kRandom: {
      const auto turn = static_cast<int>(random() & 63U);
      return (static_cast<unsigned>(std::countr_zero(std::rotr(lanes, turn))) +
              static_cast<unsigned>(turn)) &
             63U;
    }
    case CpuSchedule::kForward:
      break;
  }
  return static_cast<unsigned>(std::countr_zero(lanes));
}

unsigned BlockRunner::pick_wave(std::uint32_t waves) { return pick_lane(waves); }

void* BlockRunner::idle_stack() {
  if (!idle_.empty()) {
    void* const sp = idle_.back();
    stack_ = idle_stack_numbers_.back();
    idle_.pop_back();
    idle_stack_numbers_.pop_back();
    return sp;
  }
  char* const top = stacks_.top(stacks_made_);
  if (top == nullptr) {
    CpuFault fault = here();
    fault.kind = CpuFault::Kind::kNoMemory;
    stop(fault);
  }
  stack_ = stacks_made_++;
  // What kvgen_cpu_suspend pops: six registers, then the fiber's first address;
  // the zero above is its return address and keeps the stack aligned.
  auto** sp = reinterpret_cast<void**>(top);
  *--sp = nullptr;
  *--sp = reinterpret_cast<void*>(&kvgen_cpu_fiber);
  for (int i = 0; i < 6; ++i) *--sp = nullptr;
  return sp;
}

// The commonest step without a switch: the thread that has returned makes room for the
// wave's next one, on the same stack.
inline bool BlockRunner::next_fresh() {
  Wave& wave = *wave_;
  const std::uint64_t lowest = wave.ready & -wave.ready;
  if (!forward_ || (wave.fresh & lowest) == 0) return false;
  wave.ready ^= lowest;
  wave.fresh ^= lowest;
  enter(static_cast<unsigned>(std::countr_zero(lowest)));
  wave_lanes_[lane_].stack = stack_;
  return true;
}

void BlockRunner::run_threads() {
  while (true) {
    do {
      entry_(arguments_);
      wave_->exited |= bit(lane_);
    } while (next_fresh());
    kvgen_cpu_suspend(static_cast<int>(Leave::kFinished));
  }
}

// The next commonest: on to the wave's next lane, which waits where this one does.
inline void* BlockRunner::next(Leave leave, void* sp) {
  Wave& wave = *wave_;
  const std::uint64_t lowest = wave.ready & -wave.ready;
  if (!forward_ || leave != Leave::kSuspended || lowest == 0 || (wave.fresh & lowest) != 0) {
    return schedule(leave, sp);
  }
  wave_lanes_[lane_].sp = sp;
  wave.ready ^= lowest;
  enter(static_cast<unsigned>(std::countr_zero(lowest)));
  const Lane& lane = wave_lanes_[lane_];
  stack_ = lane.stack;
  return lane.sp;
}

void BlockRunner::save(Leave leave, void* sp) {
  switch (leave) {
    case Leave::kSuspended:
      wave_lanes_[lane_].sp = sp;
      break;
    case Leave::kFinished:
      idle_.push_back(sp);
      idle_stack_numbers_.push_back(stack_);
      break;
    case Leave::kMain:
      main_sp_ = sp;
      break;
  }
}

__attribute__((noinline)) void* BlockRunner::schedule(Leave leave, void* sp) {
  bool saved = false;
  const auto save_once = [&] {
    if (!saved) save(leave, sp);
    saved = true;
  };
  while (true) {
    Wave& wave = *wave_;
    if (wave.ready != 0) {
      const unsigned lane = pick_lane(wave.ready);
      const bool fresh = (wave.fresh & bit(lane)) != 0;
      wave.ready &= ~bit(lane);
      wave.fresh &= ~bit(lane);
      // A thread that has returned leaves its stack to one that has not begun.
      const bool same_stack = fresh && leave == Leave::kFinished && !saved;
      if (!same_stack) save_once();
      enter(lane);
      if (!fresh) {
        stack_ = wave_lanes_[lane].stack;
        return wave_lanes_[lane].sp;
      }
      if (!same_stack) sp = idle_stack();
      wave_lanes_[lane].stack = stack_;
      return sp;
    }
    if (wave.at_operation != 0) {
      resolve(wave);
      continue;
    }
    runnable_ &= ~(1U << (first_thread_ / KVGEN_CPU_WAVE));
    if (leave == Leave::kSuspended) save_once();  // while it is known whose it is
    if (runnable_ == 0 && !release_barrier()) {
      save_once();
      return main_sp_;
    }
    go_to_wave(pick_wave(runnable_));
  }
}

bool BlockRunner::release_barrier() {
  std::uint32_t waiting = 0;
  unsigned exited = 0;
  unsigned lowest = ~0U;
  unsigned highest = 0;
  for (unsigned w = 0; w < waves_count_; ++w) {
    Wave& wave = waves_[w];
    exited += static_cast<unsigned>(std::popcount(wave.exited));
    if (wave.at_barrier == 0) continue;
    waiting |= 1U << w;
    lowest = std::min(lowest, wave.lowest_site);
    highest = std::max(highest, wave.highest_site);
  }
  if (waiting == 0) return false;
  if (exited != 0 || lowest != highest) {
    CpuFault fault = here();
    fault.kind = exited != 0 ? CpuFault::Kind::kBarrierExit : CpuFault::Kind::kBarrierSites;
    const unsigned wave = static_cast<unsigned>(std::countr_zero(waiting));
    const unsigned lane = static_cast<unsigned>(std::countr_zero(waves_[wave].at_barrier));
    fault.thread = lanes_[wave * KVGEN_CPU_WAVE + lane].index;
    fault.site = lowest;
    fault.other_site = highest;
    fault.count = exited;
    stop(fault);
  }
  for (unsigned w = 0; w < waves_count_; ++w) {
    Wave& wave = waves_[w];
    wave.ready = wave.at_barrier;
    wave.at_barrier = 0;
    wave.lowest_site = ~0U;
    wave.highest_site = 0;
  }
  runnable_ = waiting;
  vote_result_ = vote_count_;
  vote_count_ = 0;
  return true;
}

// Every lane of the wave waits or has returned: those at the smallest site go.
std::uint64_t BlockRunner::next_group(const Wave& wave) {
  const auto first = static_cast<unsigned>(std::countr_zero(wave.at_operation));
  unsigned lowest = wave.site[first];
  Operation operation = wave.operation[first];
  for (std::uint64_t rest = wave.at_operation; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (wave.site[lane] >= lowest) continue;
    lowest = wave.site[lane];
    operation = wave.operation[lane];
  }
  std::uint64_t group = 0;
  for (std::uint64_t rest = wave.at_operation; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (wave.site[lane] == lowest && wave.operation[lane] == operation) group |= bit(lane);
  }
  return group;
}

void BlockRunner::resolve(Wave& wave) {
  const bool together = wave.lowest_operation_site == wave.highest_operation_site;
  const std::uint64_t group = together ? wave.at_operation : next_group(wave);
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  const auto each = [group](const auto& act) {
    if (group == ~std::uint64_t{0}) {
      for (unsigned lane = 0; lane < KVGEN_CPU_WAVE; ++lane) act(lane);
      return;
    }
    for (std::uint64_t rest = group; rest != 0; rest &= rest - 1) {
      act(static_cast<unsigned>(std::countr_zero(rest)));
    }
  };
  each([&](unsigned lane) { wave.active[lane] = group; });
  switch (wave.operation[first]) {
    case Operation::kSync:
      break;
    case Operation::kShuffle:
      each([&](unsigned lane) {
        const unsigned source =
            wave.source[lane] == KVGEN_CPU_FIRST_LANE ? first : wave.source[lane] & 63U;
        wave.got[lane] = (group >> source & 1) != 0 ? wave.given[source] : 0;
      });
      break;
    case Operation::kBallot: {
      std::uint64_t ballot = 0;
      each([&](unsigned lane) { ballot |= wave.given[lane] << lane; });
      each([&](unsigned lane) { wave.got[lane] = ballot; });
      break;
    }
    case Operation::kExecute: {
      std::array<void*, 64> mine = {};
      each([&](unsigned lane) { mine[lane] = reinterpret_cast<void*>(wave.given[lane]); });
      wave.function[first](mine.data(), group);
      break;
    }
  }
  wave.at_operation &= ~group;
  wave.ready |= group;
  if (wave.at_operation == 0) {
    wave.lowest_operation_site = ~0U;
    wave.highest_operation_site = 0;
  }
}

int BlockRunner::barrier(unsigned vote, int predicate, unsigned site) {
  Wave& wave = *wave_;
  wave.at_barrier |= bit(lane_);
  wave.lowest_site = std::min(wave.lowest_site, site);
  wave.highest_site = std::max(wave.highest_site, site);
  vote_count_ += predicate != 0 ? 1 : 0;
  kvgen_cpu_suspend(static_cast<int>(Leave::kSuspended));
  switch (vote) {
    case KVGEN_CPU_VOTE_AND:
      return vote_result_ == static_cast<int>(threads_) ? 1 : 0;
    case KVGEN_CPU_VOTE_OR:
      return vote_result_ > 0 ? 1 : 0;
    default:
      return vote_result_;
  }
}

std::uint64_t BlockRunner::operate(Operation operation, std::uint64_t value, int source,
                                   kvgen_cpu_wave_function run, unsigned site) {
  Wave& wave = *wave_;
  const unsigned lane = lane_;
  wave.given[lane] = value;
  wave.source[lane] = source;
  wave.site[lane] = site;
  wave.operation[lane] = operation;
  wave.function[lane] = run;
  wave.lowest_operation_site = std::min(wave.lowest_operation_site, site);
  wave.highest_operation_site = std::max(wave.highest_operation_site, site);
  wave.at_operation |= bit(lane);
  kvgen_cpu_suspend(static_cast<int>(Leave::kSuspended));
  return wave.got[lane];
}

std::uint64_t BlockRunner::last_active() const { return wave_->active[lane_]; }

CpuFault BlockRunner::here() const {
  CpuFault fault;
  const kvgen_cpu_context& context = object_.context();
  fault.launch = number_;
  fault.block = context.block_idx;
  fault.thread = context.thread_idx;
  fault.thread_known = loop_ == nullptr ? 1 : 0;
  return fault;
}

CpuArea BlockRunner::area_of(const void* address) const {
  if (stacks_.holds(address)) return CpuArea::kStackGuard;
  if (dynamic_lds_.holds(address)) return CpuArea::kDynamicLds;
  if (object_.image().holds(address)) return CpuArea::kObject;
  return CpuArea::kOther;
}

std::uint64_t BlockRunner::code_offset(const void* instruction) const {
  const Mapping& image = object_.image();
  if (!image.holds(instruction)) return 0;
  return static_cast<std::uint64_t>(static_cast<const char*>(instruction) - image.data());
}

void BlockRunner::stop(CpuFault fault) const { events_.stop(fault); }

extern "C" __attribute__((used, visibility("hidden"))) void* kvgen_cpu_schedule(int leave,
                                                                                void* sp) {
  return running->next(static_cast<BlockRunner::Leave>(leave), sp);
}

extern "C" [[noreturn]] __attribute__((used, visibility("hidden"))) void kvgen_cpu_fiber() {
  running->run_threads();
}

}  // namespace kvgen
