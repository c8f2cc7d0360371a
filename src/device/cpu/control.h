#pragma once

#include <atomic>
#include <cstdint>

#include "kvgen/cpu/fault.h"

namespace kvgen {

// The page that the runner and a candidate's child share. The candidate runs in
// the child: whatever is read from here is checked like any other of its data.
struct ChildControl {
  static constexpr std::uint32_t kPrintedLimit = 64 << 10;

  std::atomic<std::uint32_t> go = 0;       // written by the parent: the window that may begin
  std::atomic<std::uint32_t> stopped = 0;  // a fault has been told
  CpuFault fault;
  std::int32_t region = -1;  // of the access: index into the regions, -1: none
  std::int64_t offset = 0;   // of the access from the tensor's start, in bytes
  std::uint32_t area = 0;    // CpuArea
  char own_error[256] = {};  // ours: setting up failed
  std::atomic<std::uint32_t> printed = 0;
  char text[kPrintedLimit] = {};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// Child to parent, one byte each.
inline constexpr char kReady = 'r';   // waits for `go` to count up, then runs
inline constexpr char kDone = 'd';    // that run is over
inline constexpr char kFailed = 'e';  // own_error is set
// A fault has no byte: the child ends, and `fault` is set.

// Parent to child.
struct ChildOrder {
  std::uint32_t runs = 1;
  std::uint32_t cold = 0;
};

}  // namespace kvgen
