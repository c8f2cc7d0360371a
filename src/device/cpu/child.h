#pragma once

#include "device/cpu/control.h"
#include "device/cpu/flush.h"
#include "kvgen/cpu/object.h"
#include "kvgen/device/engine.h"

namespace kvgen {

struct ChildTask {
  const DeviceRun& run;
  const CpuObject& object;
  unsigned threads = 1;
  unsigned block_threads = 1;  // of the plan's largest block
  bool flushes = false;        // cold samples may be asked for
  CacheSizes caches;
  ChildControl* control = nullptr;
  int orders = -1;   // ChildOrder, read
  int signals = -1;  // kReady, kDone, kFailed, written
};

// The life of a candidate's process, after fork: maps, loads, closes itself in, runs
// `prepare` once, then the run steps as often as it is ordered.
[[noreturn]] void live_as_child(const ChildTask& task);

}  // namespace kvgen
