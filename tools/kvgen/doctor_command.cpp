#include <ostream>
#include <sstream>

#include "commands.h"
#include "exit_codes.h"
#include "kvgen/worker/sandbox.h"
#include "session.h"

namespace kvgen::tools {
namespace {

struct DoctorOptions {
  bool json = false;
  MachineOptions machine;
};

struct Finding {
  enum class State { kThere, kLacking, kOptional };
  std::string what;
  State state = State::kThere;
  std::string detail;
  std::string how_to_get;
};

using State = Finding::State;

std::string_view to_string(State state) {
  switch (state) {
    case State::kThere:
      return "there";
    case State::kLacking:
      return "lacking";
    case State::kOptional:
      return "not here";
  }
  return "lacking";
}

std::optional<fs::path> find_program(const World& world, const std::string& name) {
  std::istringstream path(world.environment("PATH").value_or("/usr/bin:/bin"));
  for (std::string folder; std::getline(path, folder, ':');) {
    if (world.files->exists(fs::path(folder) / name)) return fs::path(folder) / name;
  }
  return std::nullopt;
}

std::optional<fs::path> find_library(const World& world, const std::string& prefix) {
  const std::string rocm = world.environment("ROCM_PATH").value_or("/opt/rocm");
  for (const fs::path& folder :
       {fs::path(rocm) / "lib", fs::path("/usr/lib/x86_64-linux-gnu"), fs::path("/usr/lib64"),
        fs::path("/usr/lib"), fs::path("/usr/local/cuda/lib64")}) {
    const auto names = world.files->list(folder);
    if (!names.ok()) continue;
    for (const std::string& name : *names) {
      if (name.starts_with(prefix)) return folder / name;
    }
  }
  return std::nullopt;
}

Finding optional_file(std::string what, const std::optional<fs::path>& path, std::string how) {
  if (path) return {std::move(what), State::kThere, path->string(), ""};
  return {std::move(what), State::kOptional, "", std::move(how)};
}

// "python 3.11.7, torch 2.13.0+cpu"
std::string versions(const Json& hello) {
  std::string text;
  for (const char* key : {"python", "torch"}) {
    const auto version = hello.find(key);
    if (version == hello.end() || !version->is_string()) continue;
    text += (text.empty() ? "" : ", ") + std::string(key) + " " + version->get<std::string>();
  }
  return text;
}

// "5.2.21153: gfx908, gfx90a, gfx1030; used for gfx90a"
Awaitable<Finding> ask_hiprtc(Workshop& shop) {
  auto hello =
      co_await shop.hiprtcs().ask_any("ping", {Json::object(), {}}, std::chrono::seconds(120));
  const std::string how = "ROCm, or apt-get install libamdhip64-dev libhiprtc-builtins5";
  if (!hello.ok()) co_return Finding{"hiprtc", State::kOptional, hello.error().message(), how};
  const Json told = hello->json.value("hello", Json::object());
  Fields fields(told, "kvgen-hiprtc's hello");
  const auto names = [&](const char* key) {
    std::string text;
    for (const auto& name : fields.get_or<std::vector<std::string>>(key, {})) {
      text += (text.empty() ? "" : ", ") + name;
    }
    return text;
  };
  const auto version = fields.get_or<std::string>("version", "");
  const auto lacking = fields.get_or<std::string>("lacking", "");
  const std::string used = names("targets");
  if (version.empty()) co_return Finding{"hiprtc", State::kOptional, lacking, how};
  std::string text = version + ": " + names("knows") + "; ";
  text += used.empty() ? "used for none of --arch" : "used for " + used;
  if (!lacking.empty()) text += "; " + lacking;
  co_return Finding{"hiprtc", State::kThere, std::move(text), ""};
}

Awaitable<Result<void>> ask_stages(Workshop& shop, std::vector<Finding>& findings) {
  for (const char* target : {"cpu", "gfx942", "gfx90a"}) {
    const auto compiler = make_compiler(shop.compilers());
    auto canary = co_await make_canary(*compiler, target);
    const std::string what = std::string("compile for ") + target;
    if (canary.ok()) {
      findings.push_back({what, State::kThere, "a known-good kernel compiles", ""});
    } else {
      findings.push_back({what, State::kLacking, canary.error().message(),
                          "build kvgen again (tools/quickstart); for gfx targets: apt-get install "
                          "rocm-device-libs"});
    }
  }
  if (auto opened = co_await shop.open_compiler_and_runner(); opened.ok()) {
    findings.push_back({"cpu device", State::kThere, shop.runner().machine(), ""});
  } else {
    findings.push_back({"cpu device", State::kLacking, opened.error().message(),
                        "build kvgen again (tools/quickstart)"});
  }
  findings.push_back(co_await ask_hiprtc(shop));
  if (auto opened = co_await shop.open_referee(); opened.ok()) {
    findings.push_back({"referee", State::kThere, shop.referee().describe(), ""});
  } else {
    findings.push_back({"referee", State::kLacking, opened.error().message(),
                        "build kvgen against a torch: tools/quickstart, or --torch-python"});
  }
  auto hello =
      co_await shop.captures().ask_any("ping", {Json::object(), {}}, std::chrono::seconds(120));
  if (hello.ok()) {
    findings.push_back(
        {"capture", State::kThere, versions(hello->json.value("hello", Json::object())), ""});
  } else {
    findings.push_back({"capture", State::kLacking, hello.error().message(),
                        "python -m pip install torch==2.13.0, then --torch-python PYTHON"});
  }
  co_return ok();
}

void look_at_sandbox(std::vector<Finding>& findings) {
  const SandboxFacilities has = probe_sandbox();
  const auto add = [&](std::string what, bool there, std::string detail) {
    findings.push_back({std::move(what), there ? State::kThere : State::kOptional,
                        std::move(detail), there ? "" : "a newer kernel, or fewer restrictions"});
  };
  add("Landlock", has.landlock_abi > 0, "ABI " + std::to_string(has.landlock_abi));
  add("seccomp", has.seccomp, "filters");
  add("user namespaces", has.user_namespaces, "");
}

std::string render(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    std::string line = finding.what;
    line.resize(std::max<std::size_t>(line.size() + 1, 22), ' ');
    line += std::string(to_string(finding.state));
    line.resize(std::max<std::size_t>(line.size() + 1, 32), ' ');
    line += finding.detail;
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
    if (!finding.how_to_get.empty()) out += std::string(32, ' ') + finding.how_to_get + "\n";
  }
  return out;
}

Result<int> doctor(const DoctorOptions& options, const World& world) {
  TRY(const auto session, Session::in_scratch(world, options.machine));
  std::vector<Finding> findings;
  TRY_VOID(session->run(ask_stages(session->shop(), findings), ""));
  findings.push_back(optional_file("hipcc", find_program(world, "hipcc"),
                                   "apt-get install hipcc, or ROCm; not needed to verify"));
  findings.push_back(optional_file(
      "AMD GPU",
      world.files->exists("/dev/kfd") ? std::optional<fs::path>("/dev/kfd") : std::nullopt,
      "the amdgpu driver and a card; not used by this version"));
  findings.push_back(optional_file("CUDA driver", find_library(world, "libcuda.so"),
                                   "the NVIDIA driver; not used by this version"));
  look_at_sandbox(findings);

  bool lacking = false;
  Json list = Json::array();
  for (const Finding& finding : findings) {
    lacking = lacking || finding.state == State::kLacking;
    list.push_back({{"what", finding.what},
                    {"state", to_string(finding.state)},
                    {"detail", finding.detail},
                    {"how_to_get", finding.how_to_get}});
  }
  if (options.json) {
    *world.out << to_line({{"findings", list}, {"complete", !lacking}}) << "\n";
  } else {
    *world.out << render(findings);
  }
  return lacking ? kLacking : kDone;
}

}  // namespace

void add_doctor(CLI::App& app, Action& chosen) {
  auto [command, options] = declare<DoctorOptions>(
      app, chosen, "doctor",
      "Say what this machine has, what it lacks, and how to get it.\n\nExample:\n"
      "  kvgen doctor",
      doctor);
  command->add_flag("--json", options.json, "One JSON object on stdout");
  add_workers(*command, options.machine);
}

}  // namespace kvgen::tools
