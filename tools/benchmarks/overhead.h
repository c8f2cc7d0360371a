#pragma once

#include <map>
#include <string>
#include <vector>

#include "kvgen/base/result.h"

namespace kvgen::bench {

struct OverheadOptions {
  int candidates = 40;
  std::string tasks = KVGEN_SOURCE_DIR "/data/tasks";
  std::string replies = KVGEN_SOURCE_DIR "/tests/e2e/replies/right";
};

struct Overhead {
  int candidates = 0;
  double wall_ms = 0;       // of a candidate: everything
  double stages_ms = 0;     // of a candidate: in compiler, runner and referee, transport included
  double transport_ms = 0;  // of that, processor time of kvgen's own process
  struct Compile {
    double worker_ms = 0;   // median round trip to the warm worker
    double library_ms = 0;  // median of the engine's call in process, the same sources
  };
  std::map<std::string, Compile> compile;  // by target
  double capture_ms = 0;                   // median round trip of a module
  double capture_library_ms = 0;           // median of its torch.export calls

  // What kvgen itself spends on a candidate: all that is outside of the stages
  // (plans, journal with its disk), and what talking to them costs it.
  [[nodiscard]] double own_ms() const { return wall_ms - stages_ms + transport_ms; }
};

Result<Overhead> measure_overhead(const OverheadOptions& options);
std::string render(const Overhead& measured);

}  // namespace kvgen::bench
