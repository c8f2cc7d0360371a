// The functions of cpu/abi.h that kernels call.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "cpu/runtime/block.h"
#include "kvgen/cpu/abi.h"

using kvgen::BlockRunner;
using kvgen::CpuFault;

void kvgen_cpu_barrier(unsigned site) {
  BlockRunner::current()->barrier(KVGEN_CPU_VOTE_COUNT, 0, site);
}

int kvgen_cpu_barrier_vote(unsigned vote, int predicate, unsigned site) {
  return BlockRunner::current()->barrier(vote, predicate, site);
}

unsigned long long kvgen_cpu_shuffle(unsigned long long value, int source, unsigned site) {
  return BlockRunner::current()->operate(BlockRunner::Operation::kShuffle, value, source, nullptr,
                                         site);
}

unsigned long long kvgen_cpu_ballot(int predicate, unsigned site) {
  return BlockRunner::current()->operate(BlockRunner::Operation::kBallot, predicate != 0 ? 1 : 0, 0,
                                         nullptr, site);
}

void kvgen_cpu_wave_sync(unsigned site) {
  BlockRunner::current()->operate(BlockRunner::Operation::kSync, 0, 0, nullptr, site);
}

void kvgen_cpu_wave_exec(void* mine, kvgen_cpu_wave_function run, unsigned site) {
  BlockRunner::current()->operate(BlockRunner::Operation::kExecute,
                                  reinterpret_cast<std::uint64_t>(mine), 0, run, site);
}

unsigned long long kvgen_cpu_last_active() { return BlockRunner::current()->last_active(); }

int kvgen_cpu_printf(const char* format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length <= 0) return length;
  const auto kept = std::min<std::size_t>(static_cast<std::size_t>(length), sizeof text - 1);
  BlockRunner::current()->events().print(text, static_cast<std::uint32_t>(kept));
  return length;
}

void kvgen_cpu_trap(unsigned site) {
  const BlockRunner& runner = *BlockRunner::current();
  CpuFault fault = runner.here();
  fault.kind = CpuFault::Kind::kTrap;
  fault.site = site;
  runner.stop(fault);
}

void kvgen_cpu_assert_fail(const char* expression, const char* /*file*/, unsigned line) {
  const BlockRunner& runner = *BlockRunner::current();
  CpuFault fault = runner.here();
  fault.kind = CpuFault::Kind::kAssert;
  fault.site = KVGEN_CPU_SITE(line, 0);
  std::snprintf(fault.text, sizeof fault.text, "%s", expression);
  runner.stop(fault);
}

unsigned long long kvgen_cpu_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<unsigned long long>(now.tv_sec) * 1'000'000'000ULL +
         static_cast<unsigned long long>(now.tv_nsec);
}
