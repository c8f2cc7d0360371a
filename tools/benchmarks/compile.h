#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kvgen/base/result.h"

namespace kvgen::bench {

struct CompileOptions {
  int kernels = 40;
  int rounds = 3;
  std::string target = "gfx90a";  // that hiprtc 5.2 and hipcc 5.2 know too
  std::filesystem::path programs;
  std::filesystem::path scratch;
  std::filesystem::path replies = KVGEN_SOURCE_DIR "/tests/e2e/replies";  // right/ and wrong/
};

// One text by three compilers, in ms; the median of the rounds. Negative: it does not take it.
struct CompileRow {
  std::string name;
  double clang_ms = -1;
  double hiprtc_ms = -1;
  double hipcc_ms = -1;
};

// A batch of all texts by some workers: the best round.
struct Throughput {
  int workers = 0;
  double per_second = 0;
  double cpu_ms = 0;  // processor time of one compile, worker and its children
};

struct CompileFigures {
  std::string target;
  std::string clang;  // versions; empty: not on this machine
  std::string hiprtc;
  std::string hipcc;
  std::vector<CompileRow> rows;
  std::vector<Throughput> throughput;  // with 1 and 2 workers, rounds in turn
};

Result<CompileFigures> measure_compile(const CompileOptions& options);
std::string render(const CompileFigures& figures);

}  // namespace kvgen::bench
