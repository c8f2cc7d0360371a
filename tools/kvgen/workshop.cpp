#include "workshop.h"

#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <sstream>

namespace kvgen::tools {
namespace {

constexpr std::chrono::seconds kStartDeadline{120};
constexpr std::uint64_t kConfigLimit = 1 << 20;
constexpr int kMostJobs = 4;
constexpr int kMostReferees = 2;

int chosen_jobs(const MachineOptions& options) {
  return options.jobs > 0 ? options.jobs : std::min(cores_here(), kMostJobs);
}

// ROCm's folder, then the architectures that will be asked for.
std::vector<std::string> hiprtc_arguments(const World& world,
                                          const std::vector<std::string>& archs) {
  std::vector<std::string> arguments = {world.environment("ROCM_PATH").value_or("/opt/rocm")};
  arguments.insert(arguments.end(), archs.begin(), archs.end());
  return arguments;
}

}  // namespace

int cores_here() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

std::string machine_in_words(Files& files, int cores) {
  std::string model = "unknown processor";
  if (auto text = files.read("/proc/cpuinfo", 16 << 20); text.ok()) {
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("model name")) continue;
      model = line.substr(std::min(line.size(), line.find(':') + 2));
      break;
    }
  }
  return model + ", " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
}

Workshop::Workshop(boost::asio::io_context& loop, const World& world, const MachineOptions& options,
                   const fs::path& folder, Log& log)
    : world_(world),
      options_(options),
      folder_(folder),
      jobs_(chosen_jobs(options)),
      cores_(options.cores > 0 ? options.cores : cores_here()),
      machine_(loop.get_executor(), jobs_),
      compilers_(loop.get_executor(), command("clang", "kvgen-clang"), jobs_, log),
      hiprtcs_(loop.get_executor(),
               command("hiprtc", "kvgen-hiprtc", hiprtc_arguments(world, options.archs)), jobs_,
               log),
      runners_(loop.get_executor(), command("runner", "kvgen-runner"), jobs_, log),
      referees_(loop.get_executor(), command("referee", "kvgen-referee"),
                std::min(jobs_, kMostReferees), log),
      captures_(loop.get_executor(), command("capture", "", {"--serve"}),
                std::min(jobs_, cores_here()), log),
      capture_(captures_) {}

WorkerCommand Workshop::command(const std::string& name, const std::string& program,
                                std::vector<std::string> arguments) const {
  WorkerCommand command;
  command.name = name;
  command.arguments = std::move(arguments);
  command.scratch = folder_ / "scratch";
  command.log = folder_ / "log" / (name + ".log");
  if (name != "capture") {
    command.program = world_.programs / program;
    return command;
  }
  const std::string python =
      options_.torch_python.empty() ? KVGEN_DEFAULT_PYTHON : options_.torch_python;
  command.program = fs::absolute(python);
  command.arguments.insert(command.arguments.begin(), {"-B", (world_.share / "capture").string()});
  command.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
  return command;
}

Awaitable<Result<void>> Workshop::open_referee() {
  CO_TRY(const Message hello,
         co_await referees_.ask_any("ping", {Json::object(), {}}, kStartDeadline));
  const Json& told = hello.json.value("hello", Json::object());
  const std::string version = told.is_object() ? told.value("torch", "") : "";
  referee_ = make_referee(referees_, version.empty() ? "libtorch" : "libtorch " + version);
  co_return ok();
}

Awaitable<std::optional<HiprtcGate>> Workshop::open_hiprtc() {
  if (options_.archs.empty()) co_return std::nullopt;
  auto hello = co_await hiprtcs_.ask_any("ping", {Json::object(), {}}, kStartDeadline);
  if (!hello.ok()) co_return std::nullopt;
  const Json told = hello->json.value("hello", Json::object());
  Fields fields(told, "kvgen-hiprtc's hello");
  const auto version = fields.get_or<std::string>("version", "");
  auto targets = fields.get_or<std::vector<std::string>>("targets", {});
  if (!fields.finish_allowing_unknown().ok() || targets.empty()) co_return std::nullopt;
  hiprtc_ = make_compiler(hiprtcs_, "hiprtc");
  co_return HiprtcGate{*hiprtc_, version, std::move(targets)};
}

Awaitable<Result<void>> Workshop::open_compiler_and_runner() {
  clang_ = make_compiler(compilers_);
  compiler_ = std::make_unique<GateCompiler>(*clang_, co_await open_hiprtc());
  CO_TRY(Canary canary, co_await make_canary(*compiler_, options_.device));
  runner_ = make_runner(runners_, options_.device, machine_in_words(*world_.files, cores_),
                        std::move(canary));
  co_return ok();
}

VerifyOptions Workshop::verify_options(std::uint64_t seed, bool profile) const {
  VerifyOptions options;
  options.archs = options_.archs;
  options.seed = seed;
  options.cores = cores_;
  options.profile = profile;
  const fs::path path = world_.share / "configs" / "devices" / (options_.device + ".json");
  const auto text = world_.files->read(path, kConfigLimit);
  const auto json = text.ok() ? parse_json(*text) : Result<Json>(text.error());
  if (json.ok()) {
    if (auto roofline = roofline_from(*json, path.string()); roofline.ok()) {
      options.roofline = std::move(roofline).value();
    }
  }
  return options;
}

void Workshop::kill_workers() {
  for (const WorkerGroup* group : {&compilers_, &hiprtcs_, &runners_, &referees_, &captures_}) {
    for (const pid_t pid : group->pids()) ::kill(-pid, SIGKILL);
  }
}

}  // namespace kvgen::tools
