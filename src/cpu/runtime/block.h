#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cpu/runtime/loaded.h"
#include "cpu/runtime/stacks.h"
#include "kvgen/base/result.h"
#include "kvgen/cpu/abi.h"
#include "kvgen/cpu/fault.h"
#include "kvgen/cpu/machine.h"

namespace kvgen {

// Runs blocks on the calling OS thread: a fiber for each thread that waits, lanes of
// a wave one after another, waves one after another.
class BlockRunner {
 public:
  static constexpr unsigned kWaves = KVGEN_CPU_THREADS_LIMIT / KVGEN_CPU_WAVE;

  static Result<std::unique_ptr<BlockRunner>> create(const CpuObject& object,
                                                     const CpuMachineOptions& options,
                                                     CpuEvents& events);

  // The launch that the next blocks belong to.
  void begin(const CpuLaunch& launch, std::uint32_t number);
  void run(std::uint64_t block);

  // What runs on the calling OS thread now; null outside of run().
  static BlockRunner* current();

  // Who and where: block and thread, code offset left 0.
  [[nodiscard]] CpuFault here() const;
  [[nodiscard]] CpuArea area_of(const void* address) const;
  [[nodiscard]] std::uint64_t code_offset(const void* instruction) const;
  [[nodiscard]] CpuEvents& events() const { return events_; }

  // ---- called by kernels, through the functions of cpu/abi.h
  int barrier(unsigned vote, int predicate, unsigned site);
  enum class Operation : std::uint32_t { kShuffle, kBallot, kSync, kExecute };
  std::uint64_t operate(Operation operation, std::uint64_t value, int source,
                        kvgen_cpu_wave_function run, unsigned site);
  [[nodiscard]] std::uint64_t last_active() const;
  [[noreturn]] void stop(CpuFault fault) const;

  // ---- called by the switch (block.cpp): the stack to go on with
  enum class Leave : int { kSuspended, kFinished, kMain };
  void* next(Leave leave, void* sp);
  [[noreturn]] void run_threads();

 private:
  struct Lane {
    void* sp = nullptr;  // while suspended
    kvgen_cpu_index index = {};
    unsigned stack = 0;
  };
  struct Wave {
    std::uint64_t ready = 0;  // lanes that can run, fresh ones included
    std::uint64_t fresh = 0;  // ... that have not begun
    std::uint64_t at_barrier = 0;
    std::uint64_t at_operation = 0;
    std::uint64_t exited = 0;
    unsigned lowest_site = 0;  // of those at the barrier
    unsigned highest_site = 0;
    unsigned lowest_operation_site = 0;  // of those at an operation
    unsigned highest_operation_site = 0;
    // By lane: what it gave to its operation, and what it got.
    std::array<std::uint64_t, 64> given;
    std::array<std::uint64_t, 64> got;
    std::array<std::uint64_t, 64> active;
    std::array<int, 64> source;
    std::array<unsigned, 64> site;
    std::array<Operation, 64> operation;
    std::array<kvgen_cpu_wave_function, 64> function;
  };

  BlockRunner(const CpuMachineOptions& options, CpuEvents& events)
      : options_(options), events_(events) {}

  void reset_waves();
  void poison_lds();
  void* schedule(Leave leave, void* sp);
  void save(Leave leave, void* sp);
  void enter(unsigned lane);
  bool next_fresh();
  void go_to_wave(unsigned wave);
  unsigned pick_lane(std::uint64_t lanes);
  unsigned pick_wave(std::uint32_t waves);
  void* idle_stack();
  bool release_barrier();
  void resolve(Wave& wave);
  static std::uint64_t next_group(const Wave& wave);
  std::uint64_t random();

  const CpuMachineOptions options_;
  CpuEvents& events_;
  LoadedObject object_;
  Stacks stacks_;
  Mapping dynamic_lds_;
  char* dynamic_begin_ = nullptr;
  std::uint64_t poison_ = 0;

  KernelFunction entry_ = nullptr;
  KernelFunction loop_ = nullptr;
  const kvgen_cpu_slot* arguments_ = nullptr;
  CpuLaunch launch_;
  std::uint32_t number_ = 0;
  unsigned threads_ = 0;
  unsigned waves_count_ = 0;

  std::array<Wave, kWaves> waves_;
  std::array<Lane, KVGEN_CPU_THREADS_LIMIT> lanes_;
  std::uint32_t runnable_ = 0;  // waves
  bool forward_ = true;
  Wave* wave_ = nullptr;  // that runs now
  Lane* wave_lanes_ = nullptr;
  kvgen_cpu_context* context_ = nullptr;
  unsigned lane_ = 0;
  unsigned first_thread_ = 0;  // of the wave
  int vote_count_ = 0;
  int vote_result_ = 0;

  std::vector<void*> idle_;  // saved stack pointers of idle stacks
  std::vector<unsigned> idle_stack_numbers_;
  unsigned stacks_made_ = 0;
  unsigned stack_ = 0;  // that runs now
  void* main_sp_ = nullptr;
  std::uint64_t random_state_ = 1;
};

}  // namespace kvgen
