#include "tools/benchmarks/compile.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include "kvgen/base/files.h"
#include "kvgen/generate/extract.h"
#include "kvgen/plan/plan.h"
#include "kvgen/pool/worker_group.h"
#include "kvgen/stage/all_of.h"
#include "kvgen/worker/protocol.h"

namespace kvgen::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kDeadline{120};
constexpr std::uint64_t kReplyLimit = 1 << 20;
// What a kernel written for kvgen finds without an include, for a compiler that has no prelude.
constexpr const char* kHipHeaders =
    "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <cfloat>\n#include <cmath>\n"
    "#include <cstdint>\n#include <climits>\n#line 1 \"kernel.hip\"\n";

struct Text {
  std::string name;
  std::string source;
  std::vector<std::string> kernels;
};

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  if (values.empty()) return -1;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Kernels written for the tests' replies: right ones first, each text once.
Result<std::vector<Text>> texts_of(const CompileOptions& options) {
  std::vector<Text> texts;
  for (const char* kind : {"right", "wrong"}) {
    TRY(std::vector<std::string> names, real_files().list(options.replies / kind));
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      if (!name.ends_with(".md")) continue;
      TRY(std::string text, real_files().read(options.replies / kind / name, kReplyLimit));
      const Extracted extracted = extract(Reply{std::move(text), {}});
      if (!extracted.candidate) continue;
      const Checked<Plan> plan = parse_plan(extracted.candidate->plan_text);
      if (plan.ok()) {
        texts.push_back(
            {name.substr(0, name.size() - 3), extracted.candidate->source, kernels_of(*plan)});
      }
    }
  }
  return texts;
}

template <class Work>
Result<void> run(boost::asio::io_context& loop, Work work) {
  std::optional<Result<void>> done;
  std::exception_ptr thrown;
  boost::asio::co_spawn(
      loop, [&]() -> Awaitable<void> { done = co_await work(); },
      [&](std::exception_ptr failed) { thrown = failed; });
  loop.restart();
  loop.run();
  if (thrown) std::rethrow_exception(thrown);
  return std::move(*done);
}

Awaitable<Result<std::string>> version_of(WorkerGroup& workers, const std::string& target) {
  CO_TRY(const Message pong, co_await workers.ask_any("ping", {Json::object(), {}}, kDeadline));
  const Json hello = pong.json.value("hello", Json::object());
  const auto targets = hello.value("targets", std::vector<std::string>());
  if (std::find(targets.begin(), targets.end(), target) == targets.end()) co_return "";
  co_return hello.value("version", "");
}

// Whether the text compiles; kernels of a rejected text are no measurement.
Awaitable<Result<bool>> compiles(WorkerGroup& workers, const Text& text,
                                 const std::string& target) {
  CO_TRY(const Message reply,
         co_await workers.ask_any(
             "compile", {to_json(CompileCall{text.source, target, text.kernels}), {}}, kDeadline));
  CO_TRY(const CompileAnswer answer, compile_answer_from(reply.json));
  co_return answer.build.usable();
}

// hipcc as a user calls it; false where there is none or it fails.
bool hipcc(std::vector<std::string> arguments, const std::filesystem::path& output) {
  arguments.insert(arguments.begin(), "hipcc");
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    ::setenv("HIP_PLATFORM", "amd", 1);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(126);
    if (std::freopen(output.c_str(), "w", stdout) == nullptr) ::_exit(126);
    ::execvp(words.front(), words.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The same code object by hipcc.
bool hipcc_compiles(const std::filesystem::path& folder, const Text& text,
                    const std::string& target) {
  const std::filesystem::path source = folder / "kernel.hip";
  std::ofstream(source, std::ios::binary) << kHipHeaders << text.source;
  const std::string architecture = "--offload-arch=" + target;
  const std::string output = (folder / "kernel.co").string();
  return hipcc({"--genco", "-O3", "-std=gnu++17", architecture, "-o", output, source.string()},
               "/dev/null");
}

std::string hipcc_version(const std::filesystem::path& folder) {
  const std::filesystem::path output = folder / "version.txt";
  if (!hipcc({"--version"}, output)) return "";
  std::string line;
  std::ifstream file(output);
  std::getline(file, line);
  const auto colon = line.find(": ");
  return colon == std::string::npos ? "" : line.substr(colon + 2);
}

// User and system time of a process and of the children that it waited for.
double cpu_ms_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 2)));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double ticks = 0;
  for (int i = 0; i < 4; ++i) {
    double one = 0;
    fields >> one;
    ticks += one;
  }
  return ticks * 1000.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

class Measurement {
 public:
  explicit Measurement(const CompileOptions& options)
      : options_(options),
        clang_(loop_.get_executor(), command("clang"), 1, null_log()),
        hiprtc_(loop_.get_executor(), command("hiprtc"), 1, null_log()) {}

  Result<CompileFigures> measure() {
    figures_.target = options_.target;
    TRY(texts_, texts_of(options_));
    TRY_VOID(run(loop_, [&] { return find_compilers(); }));
    TRY_VOID(run(loop_, [&] { return choose(); }));
    TRY_VOID(run(loop_, [&] { return one_by_one(); }));
    TRY_VOID(run(loop_, [&] { return in_batches(); }));
    return std::move(figures_);
  }

 private:
  WorkerCommand command(const std::string& name) const {
    WorkerCommand command;
    command.name = name;
    command.program = options_.programs / ("kvgen-" + name);
    command.scratch = options_.scratch;
    if (name == "hiprtc") {
      const char* rocm = std::getenv("ROCM_PATH");
      command.arguments = {rocm != nullptr ? rocm : "/opt/rocm", options_.target};
    }
    return command;
  }

  Awaitable<Result<void>> find_compilers() {
    CO_TRY(figures_.clang, co_await version_of(clang_, options_.target));
    CO_TRY(figures_.hiprtc, co_await version_of(hiprtc_, options_.target));
    figures_.hipcc = hipcc_version(options_.scratch);
    co_return ok();
  }

  // The first texts that Clang takes: some replies are wrong on purpose. Warms all compilers.
  Awaitable<Result<void>> choose() {
    std::vector<Text> chosen;
    for (Text& text : texts_) {
      if (static_cast<int>(chosen.size()) == options_.kernels) break;
      CO_TRY(const bool good, co_await compiles(clang_, text, options_.target));
      if (!good) continue;
      figures_.rows.push_back({text.name});
      chosen.push_back(std::move(text));
    }
    texts_ = std::move(chosen);
    if (static_cast<int>(texts_.size()) < options_.kernels) {
      co_return Error(Code::kNotFound, "only " + std::to_string(texts_.size()) +
                                           " texts compile; --kernels asks for more");
    }
    co_return ok();
  }

  // Each text by each compiler in turn, so that a busy spell meets all of them.
  Awaitable<Result<void>> one_by_one() {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      std::vector<double> by_clang;
      std::vector<double> by_hiprtc;
      std::vector<double> by_hipcc;
      for (int round = 0; round < options_.rounds; ++round) {
        auto begin = Clock::now();
        CO_TRY(bool good, co_await compiles(clang_, texts_[i], options_.target));
        if (good) by_clang.push_back(ms_since(begin));
        if (!figures_.hiprtc.empty()) {
          begin = Clock::now();
          CO_TRY(good, co_await compiles(hiprtc_, texts_[i], options_.target));
          if (good) by_hiprtc.push_back(ms_since(begin));
        }
        if (figures_.hipcc.empty()) continue;
        begin = Clock::now();
        if (hipcc_compiles(options_.scratch, texts_[i], options_.target)) {
          by_hipcc.push_back(ms_since(begin));
        }
      }
      figures_.rows[i].clang_ms = median(std::move(by_clang));
      figures_.rows[i].hiprtc_ms = median(std::move(by_hiprtc));
      figures_.rows[i].hipcc_ms = median(std::move(by_hipcc));
    }
    co_return ok();
  }

  Awaitable<Result<void>> in_batches() {
    WorkerGroup pair(loop_.get_executor(), command("clang"), 2, null_log());
    // A worker is started by its first request.
    for (int slot = 0; slot < 2; ++slot) {
      auto worker = co_await pair.lease(slot);
      CO_TRY_VOID(co_await worker.ask("ping", {Json::object(), {}}, kDeadline));
    }
    figures_.throughput = {{1, 0, 0}, {2, 0, 0}};
    for (int round = 0; round < options_.rounds; ++round) {
      for (Throughput& figure : figures_.throughput) {
        CO_TRY_VOID(co_await batch(figure.workers == 1 ? clang_ : pair, figure));
      }
    }
    co_return ok();
  }

  Awaitable<Result<void>> batch(WorkerGroup& workers, Throughput& figure) {
    const auto cpu = [&] {
      double sum = 0;
      for (const pid_t pid : workers.pids()) sum += cpu_ms_of(pid);
      return sum;
    };
    const double before = cpu();
    const auto begin = Clock::now();
    std::optional<Error> failed;
    co_await all_of(texts_.size(), figure.workers, [&](std::size_t i) -> Awaitable<void> {
      auto good = co_await compiles(workers, texts_[i], options_.target);
      if (!good.ok()) failed = std::move(good).error();
    });
    if (failed) co_return std::move(*failed);
    const auto count = static_cast<double>(texts_.size());
    const double per_second = count * 1000.0 / ms_since(begin);
    if (per_second > figure.per_second) {
      figure.per_second = per_second;
      figure.cpu_ms = (cpu() - before) / count;
    }
    co_return ok();
  }

  const CompileOptions& options_;
  boost::asio::io_context loop_;
  WorkerGroup clang_;
  WorkerGroup hiprtc_;
  std::vector<Text> texts_;
  CompileFigures figures_;
};

std::string cell(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%10.0f", ms);
  return ms < 0 ? "         -" : text;
}

// Over the texts that both take.
std::string ratio(const std::vector<CompileRow>& rows, double CompileRow::* other) {
  double clang = 0;
  double theirs = 0;
  int both = 0;
  for (const CompileRow& row : rows) {
    if (row.clang_ms < 0 || row.*other < 0) continue;
    ++both;
    clang += row.clang_ms;
    theirs += row.*other;
  }
  if (both == 0) return "none of the texts";
  char text[128];
  std::snprintf(text, sizeof text,
                "%.0f ms against %.0f ms a text, %.1f times (%d texts that both take)",
                clang / both, theirs / both, theirs / clang, both);
  return text;
}

}  // namespace

Result<CompileFigures> measure_compile(const CompileOptions& options) {
  return Measurement(options).measure();
}

std::string render(const CompileFigures& figures) {
  std::string out = "ms a text for " + figures.target + ", median\n" + std::string(32, ' ') +
                    "     clang    hiprtc     hipcc\n";
  for (const CompileRow& row : figures.rows) {
    std::string name = row.name.substr(0, 31);
    name.resize(32, ' ');
    out += name + cell(row.clang_ms) + cell(row.hiprtc_ms) + cell(row.hipcc_ms) + "\n";
  }
  out += "Clang " + figures.clang + " in its worker\n";
  out += figures.hiprtc.empty() ? "  hiprtc: not on this machine\n"
                                : "  against hiprtc " + figures.hiprtc + ": " +
                                      ratio(figures.rows, &CompileRow::hiprtc_ms) + "\n";
  out += figures.hipcc.empty()
             ? "  hipcc: not on this machine\n"
             : "  against hipcc " + figures.hipcc +
                   " --genco: " + ratio(figures.rows, &CompileRow::hipcc_ms) + "\n";
  char line[256];
  for (const Throughput& figure : figures.throughput) {
    std::snprintf(line, sizeof line,
                  "%d %s: %.1f compiles a second, %.0f ms of processor time each\n", figure.workers,
                  figure.workers == 1 ? "worker" : "workers", figure.per_second, figure.cpu_ms);
    out += line;
  }
  if (figures.throughput.size() == 2 && figures.throughput[0].per_second > 0) {
    std::snprintf(line, sizeof line, "  %.2f times with 2 workers\n",
                  figures.throughput[1].per_second / figures.throughput[0].per_second);
    out += line;
  }
  return out;
}

}  // namespace kvgen::bench
