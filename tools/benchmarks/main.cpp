#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>

#include "overhead.h"
#include "scratch.h"
#include "tools/benchmarks/compile.h"
#include "tools/benchmarks/hostile.h"
#include "world.h"

namespace {

using namespace kvgen;

int complain(const Error& error) {
  std::cerr << "tools/bench: " << error.message() << "\n";
  return error.code() == Code::kMissing ? 3 : 1;
}

template <class Options, class Measure>
int measure(const Options& options, Measure how) {
  const auto measured = how(options);
  if (!measured.ok()) return complain(measured.error());
  std::cout << bench::render(*measured);
  return 0;
}

int attack(bench::HostileOptions options, const std::string& which) {
  int result = 0;
  for (const std::string compiler : {"clang", "hiprtc"}) {
    if (which != "both" && which != compiler) continue;
    options.compiler = compiler;
    const auto soak = bench::soak_hostile(options);
    if (!soak.ok()) return complain(soak.error());
    std::cout << bench::render(*soak) << std::flush;
    if (soak->there && !bench::is_clean(*soak)) result = 1;
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Benchmarks of kvgen. Example:\n  tools/bench overhead\n"
      "Ratios are taken in one run; single times depend on how busy the machine is.",
      "tools/bench");
  app.require_subcommand(1);
  std::function<int()> chosen;
  const tools::World world = tools::real_world();
  const auto scratch = tools::Scratch::create(world.scratch);
  if (!scratch.ok()) return complain(scratch.error());

  bench::OverheadOptions options;
  CLI::App* overhead = app.add_subcommand(
      "overhead",
      "kvgen's own time per candidate, and compile and capture beside the calls they wrap");
  overhead->add_option("--candidates", options.candidates, "How many")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  overhead->add_option("--tasks", options.tasks, "Folder of modules")->capture_default_str();
  overhead->add_option("--replies", options.replies, "Folder of right replies")
      ->capture_default_str();
  overhead->callback([&] { chosen = [&] { return measure(options, bench::measure_overhead); }; });

  bench::CompileOptions compiling;
  compiling.programs = world.programs;
  compiling.scratch = scratch->path();
  CLI::App* compile = app.add_subcommand(
      "compile",
      "One and two compiler workers; Clang in its worker against hiprtc and hipcc --genco on the "
      "same kernels");
  compile->add_option("--kernels", compiling.kernels, "How many")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  compile->add_option("--rounds", compiling.rounds, "Of each measurement")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  compile->add_option("--arch", compiling.target, "Architecture")->capture_default_str();
  compile->callback([&] { chosen = [&] { return measure(compiling, bench::measure_compile); }; });

  bench::HostileOptions attacking;
  attacking.programs = world.programs;
  attacking.scratch = scratch->path();
  std::string which = "both";
  CLI::App* hostile = app.add_subcommand(
      "hostile",
      "Sources that attack the compiler, one after another through a real worker: no leak, no lost "
      "worker, and the next good one compiles (exit code 1 when not)");
  hostile->add_option("--compiles", attacking.compiles, "How many, for each compiler")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  hostile->add_option("--cpu-seconds", attacking.cpu_seconds, "Processor time of one compile")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  hostile->add_option("--arch", attacking.target, "Architecture")->capture_default_str();
  hostile->add_option("--compiler", which, "clang, hiprtc or both")
      ->check(CLI::IsMember({"clang", "hiprtc", "both"}))
      ->capture_default_str();
  hostile->callback([&] { chosen = [&] { return attack(attacking, which); }; });

  CLI11_PARSE(app, argc, argv);
  return chosen();
}
