#include <ostream>
#include <sstream>

#include "commands.h"
#include "exit_codes.h"
#include "ingest_step.h"
#include "kvgen/base/hash.h"
#include "kvgen/export/extension.h"
#include "kvgen/generate/generator.h"
#include "kvgen/pipeline/pipeline.h"
#include "kvgen/store/run_journal.h"
#include "kvgen/store/shards.h"
#include "llm_options.h"
#include "progress.h"
#include "random_seed.h"
#include "report.h"
#include "session.h"

namespace kvgen::tools {
namespace {

struct RunCommandOptions {
  std::vector<std::string> tasks;
  std::string generator;
  int attempts = 1;
  std::string out;
  std::optional<std::uint64_t> seed;
  bool profile = true;
  bool degenerate = false;  // admit tasks that a cheap answer would pass
  bool json = false;
  LlmOptions llm;
  MachineOptions machine;
};

// The seed given, else that of the run which is there, else a new one.
std::uint64_t seed_for(const RunCommandOptions& options, const World& world) {
  if (options.seed) return *options.seed;
  if (world.files->exists(fs::path(options.out) / "journal.sqlite")) {
    const auto earlier = RunJournal::open_existing(options.out, *world.files, *world.clock);
    if (earlier.ok() && (*earlier)->settings().contains("seed")) {
      return (*earlier)->settings()["seed"].get<std::uint64_t>();
    }
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
  std::vector<IngestedSource> sources;
  std::vector<TaskResult> results;
  std::vector<ShardEntry> shards;
  double seconds = 0;
};

Awaitable<Result<Finished>> work(const RunCommandOptions& options, const World& world,
                                 Workshop& shop, Generator& generator, RunJournal& journal,
                                 std::uint64_t seed) {
  Finished finished;
  const auto start = world.clock->now();
  CO_TRY(finished.sources,
         co_await ingest_step(world, shop, options.tasks, fs::path(options.out) / "tasks"));
  tell_rejected(world, finished.sources);
  std::vector<Task> tasks;
  for (const IngestedSource& one : finished.sources) {
    if (one.task) {
      tasks.push_back(*one.task);
    } else {
      CO_TRY_VOID(journal.add_rejected_source(one.source.path.string(), one.reason));
    }
  }
  if (tasks.empty()) {
    co_return Error(Code::kInvalid, "none of the sources became a task; each reason stands above");
  }
  // All at once, so that `status` knows how much is left.
  for (const Task& task : tasks) CO_TRY_VOID(journal.add_task(task));
  CO_TRY_VOID(co_await shop.open_compiler_and_runner());

  Verifier verifier(shop.compiler(), shop.runner(), shop.referee(), shop.machine(),
                    shop.verify_options(seed, options.profile));
  PipelineOptions pipeline_options;
  pipeline_options.attempts = options.attempts;
  // Who waits for an answer keeps nobody from proving another one.
  pipeline_options.jobs = shop.jobs() + generator.answers_in_flight();
  if (options.degenerate) pipeline_options.refused_marks = {};
  {
    Progress progress(*world.err, world.err_is_terminal, *world.clock, tasks.size());
    Pipeline pipeline(generator, verifier, journal, progress, pipeline_options);
    CO_TRY(finished.results, co_await pipeline.run(tasks));
  }
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

std::string duration_text(double seconds) {
  std::ostringstream text;
  if (seconds >= 60) text << static_cast<int>(seconds / 60) << " min ";
  text << static_cast<int>(seconds) % 60 << " s";
  return text.str();
}

int tell(const RunCommandOptions& options, const World& world, const Finished& finished) {
  const Tally count = tally(finished.results);
  const std::size_t bad_sources = static_cast<std::size_t>(std::count_if(
      finished.sources.begin(), finished.sources.end(), [](const auto& one) { return !one.task; }));
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
                           {"sources_not_used", bad_sources},
                           {"shards", shards}})
               << "\n";
  } else {
    *world.out << results_table(finished.results) << std::flush;
  }
  *world.err << count.verified << " of " << finished.results.size() << " verified, "
             << count.rejected << " rejected, " << count.not_judged << " not judged";
  if (bad_sources > 0) *world.err << ", " << bad_sources << " sources not used";
  *world.err << " · " << (fs::path(options.out) / "shards").string() << " · "
             << duration_text(finished.seconds) << "\n";
  return count.not_judged > 0 || bad_sources > 0 ? kNotAllJudged : kDone;
}

Result<int> run(const RunCommandOptions& options, const World& world) {
  TRY(OpenAiOptions asked,
      openai_options(options.llm, options.generator, options.machine.archs, world));
  TRY(const auto generator,
      make_generator(options.generator, *world.files, *world.clock, std::move(asked)));
  TRY_VOID(find_sources(*world.files,
                        std::vector<fs::path>(options.tasks.begin(), options.tasks.end())));
  const std::uint64_t seed = seed_for(options, world);
  TRY(const auto journal, RunJournal::open({options.out, settings_of(options, *generator, seed),
                                            generator->answers_in_flight() > 0},
                                           *world.files, *world.clock));
  TRY(const auto session, Session::in_run(world, options.machine, options.out));
  if (journal->resumed() && world.err_is_terminal) {
    *world.err << "resuming " << options.out << "\n";
  }
  TRY(const Finished finished,
      session->run(work(options, world, session->shop(), *generator, *journal, seed),
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
  command->add_option("--tasks", options.tasks, "Module files, folders of them, or bundles")
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
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_llm(*command, options.llm);
  add_machine(*command, options.machine);
}

}  // namespace kvgen::tools
