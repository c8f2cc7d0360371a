#include "tools/benchmarks/hostile.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <system_error>

#include "kvgen/base/number.h"
#include "kvgen/pool/worker_group.h"
#include "kvgen/worker/protocol.h"

namespace kvgen::bench {
namespace {

constexpr std::chrono::seconds kDeadline{90};
constexpr std::chrono::seconds kStart{120};
// What the parent's allocator keeps of requests of 10 MB; growth beyond it is a leak.
constexpr std::int64_t kGrowthKb = 48 << 10;
constexpr const char* kGood =
    "template <class T> __global__ void good(const T* x, T* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = 2 * x[i] + expf(x[i]);\n"
    "}\n";
// Of this machine, or of its files' text.
constexpr const char* kSecrets[] = {"/tmp/",  "/usr/", "/home/", "/build/",
                                    "comgr-", "root:", "daemon:"};

int count_in(const std::string& folder) {
  std::error_code ignored;
  int count = 0;
  for (auto it = std::filesystem::directory_iterator(folder, ignored);
       it != std::filesystem::directory_iterator(); it.increment(ignored)) {
    ++count;
  }
  return count;
}

int count_below(const std::filesystem::path& folder) {
  std::error_code ignored;
  int count = 0;
  for (auto it = std::filesystem::recursive_directory_iterator(folder, ignored);
       it != std::filesystem::recursive_directory_iterator(); it.increment(ignored)) {
    ++count;
  }
  return count;
}

Holdings holdings_of(pid_t pid, const std::filesystem::path& scratch) {
  const std::string process = "/proc/" + std::to_string(pid);
  Holdings holdings;
  std::ifstream status(process + "/status");
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kResident = "VmRSS:";
    if (!line.starts_with(kResident)) continue;
    holdings.rss_kb = leading_integer(std::string_view(line).substr(kResident.size())).value_or(0);
  }
  std::ifstream children(process + "/task/" + std::to_string(pid) + "/children");
  for (int child = 0; children >> child;) ++holdings.children;
  holdings.descriptors = count_in(process + "/fd");
  holdings.files = count_below(scratch);
  return holdings;
}

WorkerCommand command_of(const HostileOptions& options) {
  WorkerCommand command;
  command.name = options.compiler;
  command.program = options.programs / ("kvgen-" + options.compiler);
  command.scratch = options.scratch;
  command.arguments = {"--cpu-seconds", std::to_string(options.cpu_seconds)};
  if (options.compiler == "hiprtc") {
    command.arguments.insert(command.arguments.end(), {"/opt/rocm", options.target});
  }
  return command;
}

class Soak {
 public:
  explicit Soak(const HostileOptions& options)
      : options_(options), workers_(loop_.get_executor(), command_of(options), 1, null_log()) {}

  Result<HostileSoak> run() {
    TRY(texts_, hostile_texts(options_.texts));
    std::optional<Result<void>> done;
    std::exception_ptr thrown;
    boost::asio::co_spawn(
        loop_, [&]() -> Awaitable<void> { done = co_await work(); },
        [&](std::exception_ptr failed) { thrown = failed; });
    loop_.run();
    if (thrown) std::rethrow_exception(thrown);
    TRY_VOID(std::move(*done));
    return std::move(soak_);
  }

 private:
  Awaitable<Result<void>> work() {
    soak_.compiler = options_.compiler;
    auto worker = co_await workers_.lease();
    CO_TRY(const Message pong, co_await worker.ask("ping", {Json::object(), {}}, kStart));
    const Json hello = pong.json.value("hello", Json::object());
    soak_.version = hello.value("version", "");
    const auto targets = hello.value("targets", std::vector<std::string>());
    if (std::find(targets.begin(), targets.end(), options_.target) == targets.end()) {
      soak_.there = false;
      co_return ok();
    }
    HostileRow good;
    good.wrong = co_await good_compiles(worker);
    if (!good.wrong.empty()) co_return Error(Code::kWorker, good.wrong);
    const std::uint64_t first = worker.incarnation();
    soak_.before = holdings_of(workers_.pids().front(), options_.scratch);
    for (int i = 0; i < options_.compiles; ++i) {
      // The first pass fills the allocator; from then on nothing may grow.
      if (static_cast<std::size_t>(i) == texts_.size()) {
        soak_.before = holdings_of(workers_.pids().front(), options_.scratch);
      }
      soak_.rows.push_back(
          co_await attack(worker, texts_[static_cast<std::size_t>(i) % texts_.size()]));
    }
    soak_.after = holdings_of(workers_.pids().front(), options_.scratch);
    soak_.workers_lost = static_cast<int>(worker.incarnation() - first);
    co_return ok();
  }

  Awaitable<HostileRow> attack(WorkerGroup::Lease& worker, const HostileText& text) {
    HostileRow row;
    row.text = text.name;
    const auto begin = std::chrono::steady_clock::now();
    auto reply = co_await worker.ask(
        "compile", {to_json(CompileCall{text.source, options_.target, {"k"}}), {}}, kDeadline);
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!reply.ok()) {
      row.kind = "error";
      row.reason = reply.error().message();
      row.wrong = "the worker failed: " + row.reason;
    } else {
      judge(text, *reply, row);
    }
    const std::string next = co_await good_compiles(worker);
    if (row.wrong.empty()) row.wrong = next;
    co_return row;
  }

  void judge(const HostileText& text, const Message& reply, HostileRow& row) {
    auto answer = compile_answer_from(reply.json);
    if (!answer.ok()) {
      row.wrong = answer.error().message();
      return;
    }
    const Build& build = answer->build;
    row.kind = build.failure ? std::string(to_string(build.failure->kind)) : "usable";
    row.reason = build.failure ? build.failure->reason : "";
    const auto expected = text.expected.find(options_.compiler);
    if (expected == text.expected.end()) {
      row.wrong = "its file does not say what is expected";
    } else if (!is_expected(expected->second, row.kind, row.reason)) {
      row.wrong = "expected " + expected->second;
    }
    const std::string said = row.reason + "\n" + build.diagnostics;
    for (const char* secret : kSecrets) {
      // What the text itself says may come back.
      if (said.find(secret) == std::string::npos || text.source.find(secret) != std::string::npos) {
        continue;
      }
      row.wrong = std::string("\"") + secret + "\" is in the answer";
    }
    if (build.diagnostics.size() > (17U << 10)) row.wrong = "its diagnostics are not shortened";
  }

  Awaitable<std::string> good_compiles(WorkerGroup::Lease& worker) {
    auto reply = co_await worker.ask(
        "compile", {to_json(CompileCall{kGood, options_.target, {"good<float>"}}), {}}, kDeadline);
    if (!reply.ok()) co_return "the next good text: " + reply.error().message();
    auto answer = compile_answer_from(reply->json);
    if (!answer.ok()) co_return "the next good text: " + answer.error().message();
    if (!answer->build.usable() || reply->fds.size() != 1) {
      co_return "the next good text does not compile: " + answer->build.diagnostics;
    }
    co_return "";
  }

  const HostileOptions& options_;
  boost::asio::io_context loop_;
  WorkerGroup workers_;
  std::vector<HostileText> texts_;
  HostileSoak soak_;
};

}  // namespace

Result<HostileSoak> soak_hostile(const HostileOptions& options) { return Soak(options).run(); }

bool is_clean(const HostileSoak& soak) {
  const bool right = std::all_of(soak.rows.begin(), soak.rows.end(),
                                 [](const HostileRow& row) { return row.wrong.empty(); });
  return right && soak.workers_lost == 0 && soak.after.files <= soak.before.files &&
         soak.after.descriptors <= soak.before.descriptors &&
         soak.after.children <= soak.before.children &&
         soak.after.rss_kb <= soak.before.rss_kb + kGrowthKb;
}

std::string render(const HostileSoak& soak) {
  if (!soak.there) return soak.compiler + ": not on this machine\n";
  std::string out;
  char line[512];
  double total = 0;
  int wrong = 0;
  for (const HostileRow& row : soak.rows) {
    total += row.seconds;
    if (row.wrong.empty()) continue;
    ++wrong;
    std::snprintf(line, sizeof line, "  %-24s %s (%.200s): %.200s\n", row.text.c_str(),
                  row.kind.c_str(), row.reason.c_str(), row.wrong.c_str());
    out += line;
  }
  std::snprintf(line, sizeof line,
                "%s %s: %zu hostile compiles, %.1f s, %d not as expected, %d workers lost\n"
                "  resident %lld -> %lld KB, descriptors %d -> %d, files %d -> %d, children %d -> "
                "%d: %s\n",
                soak.compiler.c_str(), soak.version.c_str(), soak.rows.size(), total, wrong,
                soak.workers_lost, static_cast<long long>(soak.before.rss_kb),
                static_cast<long long>(soak.after.rss_kb), soak.before.descriptors,
                soak.after.descriptors, soak.before.files, soak.after.files, soak.before.children,
                soak.after.children, is_clean(soak) ? "clean" : "NOT CLEAN");
  return out + line;
}

}  // namespace kvgen::bench
