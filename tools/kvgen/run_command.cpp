#include <algorithm>
#include <ostream>
#include <tuple>

#include "commands.h"
#include "exit_codes.h"
#include "ingest_step.h"
#include "kvgen/base/hash.h"
#include "kvgen/export/extension.h"
#include "kvgen/generate/generator.h"
#include "kvgen/ingest/bundle.h"
#include "kvgen/pipeline/pipeline.h"
#include "kvgen/stage/all_of.h"
#include "kvgen/store/run_journal.h"
#include "kvgen/store/shards.h"
#include "late_prover.h"
#include "llm_options.h"
#include "progress.h"
#include "random_seed.h"
#include "report.h"
#include "session.h"
#include "task_queue.h"
#include "text.h"
#include "ticker.h"

namespace kvgen::tools {
namespace {

constexpr std::chrono::seconds kBetweenLogLines{60};

struct RunCommandOptions {
  std::vector<std::string> tasks;
  std::string generator;
  int attempts = 1;
  std::string out;
  std::optional<std::uint64_t> seed;
  bool profile = true;
  bool degenerate = false;  // admit tasks that a cheap answer would pass
  double max_hours = 0;     // 0: as long as it takes
  bool json = false;
  SourceOptions rows;
  LlmOptions llm;
  MachineOptions machine;
};

// The seed given, else that of the run which is there, else a new one.
std::uint64_t seed_for(const RunCommandOptions& options, const World& world) {
  if (options.seed) return *options.seed;
  const auto earlier = RunJournal::settings_in(options.out, *world.files);
  if (earlier.ok() && *earlier && (*earlier)->contains("seed")) {
    return (**earlier)["seed"].get<std::uint64_t>();
  }
  return random_seed();
}

Json settings_of(const RunCommandOptions& options, const Generator& generator, std::uint64_t seed) {
  return {{"generator", generator.describe()},
          {"device", options.machine.device},
          {"archs", options.machine.archs},
          {"attempts", options.attempts},
          {"seed", seed},
          {"profile", options.profile},
          {"admit_degenerate", options.degenerate},
          {"policy", kVerdictPolicy}};
}

struct Finished {
  std::size_t bad_sources = 0;
  std::size_t left = 0;  // for a later run
  std::vector<TaskResult> results;
  std::vector<ShardEntry> shards;
  double seconds = 0;
};

IngestedSource bundle_of(Files& files, const Source& source) {
  IngestedSource taken;
  taken.source = source;
  taken.reused = true;
  auto task = read_bundle(files, source.path);
  if (task.ok()) {
    taken.task = std::move(task).value();
  } else {
    taken.reason = task.error().message();
  }
  return taken;
}

Unattended unattended(const RunCommandOptions& options, const World& world, Pause& pause) {
  Unattended rules{*world.clock, pause, std::chrono::minutes(options.llm.give_up_after)};
  if (options.max_hours > 0) {
    const std::chrono::duration<double, std::ratio<3600>> hours(options.max_hours);
    rules.stop_at =
        world.clock->now() + std::chrono::duration_cast<Clock::Instant::duration>(hours);
  }
  return rules;
}

// What an earlier process finished, for the report.
Result<void> add_finished(RunJournal& journal, const std::vector<std::string>& hashes,
                          std::vector<TaskResult>& results) {
  for (const std::string& hash : hashes) {
    TaskResult result;
    result.hash = hash;
    TRY(result.name, journal.task_name(hash));
    TRY(result.attempts, journal.finished_attempts(hash));
    lighten(result);
    results.push_back(std::move(result));
  }
  std::sort(results.begin(), results.end(), [](const TaskResult& a, const TaskResult& b) {
    return std::tie(a.name, a.hash) < std::tie(b.name, b.hash);
  });
  return ok();
}

Awaitable<Result<Finished>> work(const RunCommandOptions& options, const World& world,
                                 std::vector<Source> sources, Workshop& shop, Generator& generator,
                                 RunJournal& journal, std::uint64_t seed) {
  Finished finished;
  const auto start = world.clock->now();
  LateProver prover(co_await boost::asio::this_coro::executor, shop,
                    [&] { return shop.verify_options(seed, options.profile); });
  const fs::path bundles = fs::path(options.out) / "tasks";
  CO_TRY_VOID(world.files->make_folder(bundles));
  TaskQueue queue(std::move(sources), journal,
                  {[&](const Source& source) -> Awaitable<Result<IngestedSource>> {
                     if (source.kind == Source::Kind::kBundle)
                       co_return bundle_of(*world.files, source);
                     CO_TRY_VOID(co_await prover.open());
                     Ingester ingester(*world.files, shop.capture(), shop.referee(), bundles);
                     co_return co_await ingester.take(source);
                   },
                   [&] { return prover.is_open(); },
                   [&](const IngestedSource& one) { tell_rejected(world, {one}); }});
  CO_TRY_VOID(journal.expect_sources(queue.size()));
  PipelineOptions pipeline_options;
  pipeline_options.attempts = options.attempts;
  // Who waits for an answer keeps nobody from proving another one.
  pipeline_options.jobs = shop.jobs() + generator.answers_in_flight();
  if (options.degenerate) pipeline_options.refused_marks = {};
  const auto pause = make_pause();
  pipeline_options.unattended.emplace(unattended(options, world, *pause));
  {
    Progress progress(*world.err, world.err_is_terminal, *world.clock, queue.size());
    const Ticker ticker(co_await boost::asio::this_coro::executor, kBetweenLogLines, [&] {
      progress.earlier(queue.finished().size());
      progress.tick();
    });
    Pipeline pipeline(generator, prover, journal, progress, pipeline_options);
    std::optional<Result<std::vector<TaskResult>>> results;
    co_await all_of(2, 2, [&](std::size_t i) -> Awaitable<void> {
      if (i == 1) {
        results = co_await pipeline.run(queue);
      } else if (generator.answers_in_flight() > 0) {
        // Meanwhile the first replies are on their way; who proves is told of an Error.
        static_cast<void>(co_await prover.open());
      }
    });
    CO_TRY(finished.results, std::move(*results));
  }
  CO_TRY_VOID(queue.write());
  finished.bad_sources = queue.rejected();
  finished.left = queue.remaining();
  if (queue.given() == 0 && queue.finished().empty()) {
    co_return Error(Code::kInvalid, "none of the sources became a task; each reason stands above");
  }
  CO_TRY_VOID(add_finished(journal, queue.finished(), finished.results));
  for (const TaskResult& result : finished.results) {
    if (result.refused) CO_TRY_VOID(journal.refuse_task(result.hash, *result.refused));
    if (result.error) CO_TRY_VOID(journal.note_error(result.name, result.error->message()));
  }
  ShardOptions shards;
  shards.extension_of = [](const Task& task, const Attempt& attempt) {
    const auto extension = make_extension(task, attempt);
    return extension.ok() ? std::optional<std::string>(extension->text()) : std::nullopt;
  };
  CO_TRY(finished.shards, write_shards(journal, *world.files, shards));
  finished.seconds = std::chrono::duration<double>(world.clock->now() - start).count();
  co_return finished;
}

int tell(const RunCommandOptions& options, const World& world, const Finished& finished) {
  const Tally count = tally(finished.results);
  const std::size_t left = finished.left + static_cast<std::size_t>(count.left);
  const std::size_t bad_sources = finished.bad_sources;
  if (options.json) {
    Json shards = Json::array();
    for (const ShardEntry& shard : finished.shards) {
      shards.push_back(
          {{"file", shard.file}, {"records", shard.records}, {"sha256", shard.sha256}});
    }
    *world.out << to_line({{"tasks", results_json(finished.results)},
                           {"verified", count.verified},
                           {"rejected", count.rejected},
                           {"not_judged", count.not_judged},
                           {"left", left},
                           {"sources_not_used", bad_sources},
                           {"shards", shards}})
               << "\n";
  } else {
    *world.out << results_table(finished.results, options.out) << std::flush;
  }
  *world.err << count.verified << " of " << finished.results.size() << " verified, "
             << count.rejected << " rejected, " << count.not_judged << " not judged";
  if (bad_sources > 0) *world.err << ", " << bad_sources << " sources not used";
  *world.err << " · " << (fs::path(options.out) / "shards").string() << " · "
             << duration_text(finished.seconds) << "\n";
  if (left > 0) {
    *world.err << "stopped after --max-hours; " << left
               << " tasks are left, run the same command again to go on\n";
  }
  return count.not_judged > 0 || left > 0 || bad_sources > 0 ? kNotAllJudged : kDone;
}

Result<int> run(const RunCommandOptions& options, const World& world) {
  TRY(OpenAiOptions asked,
      openai_options(options.llm, options.generator, options.machine.archs, world));
  TRY(const auto generator,
      make_generator(options.generator, *world.files, *world.clock, std::move(asked)));
  TRY(std::vector<Source> sources,
      find_sources(*world.files, std::vector<fs::path>(options.tasks.begin(), options.tasks.end()),
                   options.rows));
  const std::uint64_t seed = seed_for(options, world);
  TRY(const auto journal, RunJournal::open({options.out, settings_of(options, *generator, seed),
                                            generator->answers_in_flight() > 0},
                                           *world.files, *world.clock));
  TRY(const auto session, Session::in_run(world, options.machine, options.out));
  if (journal->resumed() && world.err_is_terminal) {
    *world.err << "resuming " << options.out << "\n";
  }
  TRY(const Finished finished,
      session->run(
          work(options, world, std::move(sources), session->shop(), *generator, *journal, seed),
          "what is done is kept, run the same command again to resume"));
  return tell(options, world, finished);
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
  auto [command, options] = declare<RunCommandOptions>(
      app, chosen, "run",
      "Generate, verify and time kernels for tasks; write them as shards.\n\nExample:\n"
      "  kvgen run --tasks data/tasks --generator builtin --device cpu --out RUN\n\n"
      "A RUN that exists is resumed when its settings agree.",
      run);
  command
      ->add_option("--tasks", options.tasks,
                   "Module files, folders of them, JSONL files with a module a row, or bundles")
      ->required();
  command->add_option("--generator", options.generator, "builtin, replay:DIR, or openai:MODEL")
      ->required();
  command->add_option("--attempts", options.attempts, "Most attempts a task")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--out", options.out, "The run's folder")->required();
  command->add_option("--seed", options.seed, "Fixes all seeds (default: drawn at random)");
  command->add_flag("!--no-profile", options.profile, "Do not time what was verified");
  command->add_flag("--admit-degenerate", options.degenerate,
                    "Also tasks that a constant or a copy passes");
  command
      ->add_option("--max-hours", options.max_hours,
                   "Begin nothing new after that; the same command goes on later")
      ->check(CLI::Range(0.0, 10'000.0));
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_llm(*command, options.llm);
  add_sources(*command, options.rows);
  add_machine(*command, options.machine);
}

}  // namespace kvgen::tools
