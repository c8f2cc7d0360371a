#include <CLI/CLI.hpp>
#include <iostream>

#include "overhead.h"

int main(int argc, char** argv) {
  CLI::App app(
      "Benchmarks of kvgen. Example:\n  tools/bench overhead\n"
      "Ratios are taken in one run; single times depend on how busy the machine is.",
      "tools/bench");
  app.require_subcommand(1);
  kvgen::bench::OverheadOptions options;
  CLI::App* overhead = app.add_subcommand(
      "overhead",
      "kvgen's own time per candidate, and compile and capture beside the calls they wrap");
  overhead->add_option("--candidates", options.candidates, "How many")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  overhead->add_option("--tasks", options.tasks, "Folder of modules")->capture_default_str();
  overhead->add_option("--replies", options.replies, "Folder of right replies")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto measured = kvgen::bench::measure_overhead(options);
  if (!measured.ok()) {
    std::cerr << "tools/bench: " << measured.error().message() << "\n";
    return 1;
  }
  std::cout << kvgen::bench::render(*measured);
  return 0;
}
