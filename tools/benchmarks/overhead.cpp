#include "overhead.h"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdio>

#include "ingest_step.h"
#include "kvgen/generate/extract.h"
#include "kvgen/ingest/captured.h"
#include "kvgen/pipeline/verifier.h"
#include "kvgen/plan/plan.h"
#include "kvgen/store/run_journal.h"
#include "kvgen/worker/protocol.h"
#include "scratch.h"
#include "session.h"
#include "timed_stages.h"
#include "workshop.h"
#include "world.h"

namespace kvgen::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kReplyLimit = 1 << 20;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The same kernel again and again: an own comment makes each another candidate.
Reply numbered(const Reply& reply, int number) {
  Reply other = reply;
  const std::size_t block = other.text.find("```hip\n") + 7;
  other.text.insert(block, "// candidate " + std::to_string(number) + "\n");
  return other;
}

struct Bench {
  const OverheadOptions& options;
  const tools::World& world;
  tools::Workshop& shop;
  RunJournal& journal;
  WorkerGroup& engine;
  fs::path folder;
};

Awaitable<Result<void>> candidates(Bench bench, const Task& task, const Reply& reply,
                                   Overhead& result) {
  Stopwatch watch;
  TimedCompiler compiler(bench.shop.compiler(), watch);
  TimedRunner runner(bench.shop.runner(), watch);
  TimedReferee referee(bench.shop.referee(), watch);
  VerifyOptions options;
  options.profile = false;
  Verifier verifier(compiler, runner, referee, bench.shop.machine(), options);
  Cases cases(task);
  CO_TRY_VOID(bench.journal.add_task(task));

  double stages_before = 0;
  double cpu_before = 0;
  Clock::time_point start;
  // The first one opens the references and warms the workers.
  for (int turn = 0; turn <= bench.options.candidates; ++turn) {
    if (turn == 1) {
      stages_before = watch.wall_ms();
      cpu_before = watch.cpu_ms();
      start = Clock::now();
    }
    Attempt attempt;
    attempt.task_hash = task.hash;
    attempt.turn = turn;
    CO_TRY_VOID(bench.journal.begin_attempt(task.hash, turn));
    attempt.reply = numbered(reply, turn);
    CO_TRY_VOID(bench.journal.keep_reply(task.hash, turn, *attempt.reply));
    attempt.candidate = extract(*attempt.reply).candidate;
    CO_TRY_VOID(co_await verifier.prove(cases, attempt));
    if (!attempt.outcome.verified()) {
      co_return Error(Code::kInternal, "the kernel is not verified: " + attempt.outcome.reason);
    }
    CO_TRY_VOID(bench.journal.finish_attempt(attempt));
  }
  result.candidates = bench.options.candidates;
  result.wall_ms = ms_since(start) / result.candidates;
  result.stages_ms = (watch.wall_ms() - stages_before) / result.candidates;
  result.transport_ms = (watch.cpu_ms() - cpu_before) / result.candidates;
  co_return ok();
}

Awaitable<Result<std::vector<CompileRequest>>> sources(const Bench& bench) {
  std::vector<CompileRequest> found;
  CO_TRY(const auto names, bench.world.files->list(bench.options.replies));
  for (const std::string& name : names) {
    if (!name.ends_with(".md")) continue;
    CO_TRY(std::string text,
           bench.world.files->read(fs::path(bench.options.replies) / name, kReplyLimit));
    const Extracted extracted = extract(Reply{std::move(text), {}});
    if (!extracted.candidate) continue;
    const Checked<Plan> plan = parse_plan(extracted.candidate->plan_text);
    if (plan.ok()) found.push_back({extracted.candidate->source, "", kernels_of(*plan)});
  }
  co_return found;
}

Awaitable<Result<void>> compiles(const Bench& bench, Overhead& result) {
  CO_TRY(const std::vector<CompileRequest> requests, co_await sources(bench));
  for (const char* target : {"cpu", "gfx942", "gfx90a"}) {
    std::vector<double> times;
    for (int round = 0; round < 3; ++round) {
      for (CompileRequest request : requests) {
        request.target = target;
        const auto start = Clock::now();
        CO_TRY(const Compiled compiled, co_await bench.shop.compiler().build(std::move(request)));
        if (round > 0) times.push_back(ms_since(start));
      }
    }
    Json calls = Json::array();
    for (const CompileRequest& request : requests) {
      calls.push_back(to_json(CompileCall{request.source, target, request.kernels}));
    }
    CO_TRY(const Message answer, co_await bench.engine.ask_any("median", {{{"calls", calls}}, {}},
                                                               std::chrono::minutes(5)));
    result.compile[target] = {median(times), answer.json.value("median_ms", 0.0)};
  }
  co_return ok();
}

Awaitable<Result<void>> captures(const Bench& bench, Overhead& result) {
  CO_TRY(const auto found, find_sources(*bench.world.files, {bench.options.tasks}));
  std::vector<double> times;
  std::vector<double> exports;
  for (int round = 0; round < 2; ++round) {
    for (const Source& source : found) {
      CO_TRY(const std::string text, read_module(*bench.world.files, source));
      const auto start = Clock::now();
      CO_TRY(const Json reply,
             co_await bench.shop.capture().capture(capture_request(source, text)));
      if (round == 0) continue;
      times.push_back(ms_since(start));
      const Json& seconds = reply.value("seconds", Json::object());
      exports.push_back(seconds.value("export", 0.0) * 1e3);
    }
  }
  result.capture_ms = median(times);
  result.capture_library_ms = median(exports);
  co_return ok();
}

Awaitable<Result<Overhead>> all(Bench bench) {
  Overhead result;
  CO_TRY(const auto ingested,
         co_await tools::ingest_step(bench.world, bench.shop, {bench.options.tasks + "/softmax.py"},
                                     bench.folder / "tasks"));
  if (ingested.size() != 1 || !ingested.front().task) {
    co_return Error(Code::kInvalid, "softmax.py cannot be captured");
  }
  CO_TRY_VOID(co_await bench.shop.open_compiler_and_runner());
  CO_TRY(std::string text,
         bench.world.files->read(fs::path(bench.options.replies) / "softmax.md", kReplyLimit));
  CO_TRY_VOID(
      co_await candidates(bench, *ingested.front().task, Reply{std::move(text), {}}, result));
  CO_TRY_VOID(co_await compiles(bench, result));
  CO_TRY_VOID(co_await captures(bench, result));
  co_return result;
}

}  // namespace

Result<Overhead> measure_overhead(const OverheadOptions& options) {
  const tools::World world = tools::real_world();
  TRY(const tools::Scratch scratch, tools::Scratch::create(world.scratch));
  TRY(const auto journal, RunJournal::open({scratch.path() / "RUN", Json::object(), false},
                                           *world.files, *world.clock));
  boost::asio::io_context loop;
  tools::MachineOptions machine;
  machine.jobs = 1;
  tools::Workshop shop(loop, world, machine, scratch.path(), null_log());
  WorkerGroup engine(loop.get_executor(),
                     {"engine",
                      world.programs / "kvgen-bench-engine",
                      {(world.share / "pch").string()},
                      {},
                      scratch.path() / "scratch",
                      ""},
                     1, null_log());
  const Bench bench{options, world, shop, *journal, engine, scratch.path()};
  return tools::run_to_end<Overhead>(loop, all(bench), [&] {
    shop.kill_workers();
    std::_Exit(130);
  });
}

std::string render(const Overhead& measured) {
  std::string out;
  const auto line = [&](const char* pattern, auto... values) {
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(), pattern, values...);
    out += text.data();
  };
  line("%d candidates, one at a time, milliseconds a candidate\n", measured.candidates);
  line("  %-46s %9.2f\n", "everything", measured.wall_ms);
  line("  %-46s %9.2f\n", "in compiler, runner and referee", measured.stages_ms);
  line("  %-46s %9.2f\n", "kvgen outside of them", measured.wall_ms - measured.stages_ms);
  line("  %-46s %9.2f\n", "kvgen talking to them (processor time)", measured.transport_ms);
  line("  %-46s %9.2f  (limit 5)\n", "kvgen's own, both together", measured.own_ms());
  line("\n%-14s %16s %16s %8s\n", "warm median", "worker, ms", "library, ms", "ratio");
  for (const auto& [target, times] : measured.compile) {
    line("%-14s %16.1f %16.1f %8.2f\n", ("compile " + target).c_str(), times.worker_ms,
         times.library_ms, times.worker_ms / times.library_ms);
  }
  line("%-14s %16.1f %16.1f %8.2f\n", "capture", measured.capture_ms, measured.capture_library_ms,
       measured.capture_ms / measured.capture_library_ms);
  out +=
      "\nlibrary: the compile engine's call in this process (Clang, LLVM, lld); for a capture,\n"
      "its torch.export calls, one for each variant.\n";
  return out;
}

}  // namespace kvgen::bench
