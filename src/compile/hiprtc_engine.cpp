#include "kvgen/compile/hiprtc_engine.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compile/comgr.h"
#include "compile/compiler_log.h"
#include "compile/facts.h"
#include "compile/hiprtc_library.h"
#include "kvgen/base/hash.h"
#include "kvgen/compile/prelude.h"

namespace kvgen {
namespace {

// hiprtc includes a header of this name before the program, its own unless one is given.
constexpr const char* kImplicitHeader = "hiprtc_runtime.h";
// What a diagnostic calls the candidate's text, whatever file hiprtc writes it in.
constexpr const char* kCandidateName = "kernel.hip";
constexpr std::size_t kLogLimit = 4U << 20;
constexpr std::size_t kObjectLimit = 256U << 20;

const std::vector<VirtualFile>& headers() {
  static const std::vector<VirtualFile> list = [] {
    std::vector<VirtualFile> made = {
        {kImplicitHeader, "#include \"" + std::string(kPreludeEntry) + "\"\n"}};
    for (const VirtualFile& file : prelude_files()) {
      const bool of_cpu = file.name.starts_with("kvgen_cpu") ||
                          file.name.starts_with("kvgen/cpu") || file.name == "kvgen_target_cpu.h";
      if (!of_cpu) made.push_back(file);
    }
    return made;
  }();
  return list;
}

std::vector<std::string> options_for(const std::string& target) {
  std::vector<std::string> options = {
      "--offload-arch=" + target, "-std=gnu++17", "-O3", "-nostdinc", "-w", "-ferror-limit=20"};
  // Kernels are written for waves of 64 here; those of RDNA are 32 unless asked.
  if (!target.starts_with("gfx9")) options.emplace_back("-mwavefrontsize64");
  return options;
}

// Destroys the program when a compile is over.
class Program {
 public:
  Program(const HiprtcCalls& calls, HiprtcCalls::Program handle) : calls_(calls), handle_(handle) {}
  ~Program() { calls_.destroy(&handle_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  [[nodiscard]] HiprtcCalls::Program get() const { return handle_; }

 private:
  const HiprtcCalls& calls_;
  HiprtcCalls::Program handle_;
};

template <class Size, class Read>
std::string text_of(HiprtcCalls::Program program, Size size_of, Read read, std::size_t limit) {
  std::size_t size = 0;
  if (size_of(program, &size) != 0 || size == 0 || size > limit) return "";
  std::string text(size, '\0');
  return read(program, text.data()) == 0 ? text : "";
}

}  // namespace

struct HiprtcEngine::State {
  HiprtcLibrary library;
  std::optional<Comgr> comgr;
  std::vector<std::string> targets;
};

HiprtcEngine::HiprtcEngine(std::unique_ptr<State> state) : state_(std::move(state)) {}
HiprtcEngine::~HiprtcEngine() = default;

Result<std::unique_ptr<HiprtcEngine>> HiprtcEngine::open(
    const std::vector<std::filesystem::path>& folders) {
  TRY(HiprtcLibrary library, HiprtcLibrary::open(folders));
  auto state = std::make_unique<State>();
  state->targets = hiprtc_architectures(library.version);
  state->library = std::move(library);
  state->comgr = Comgr::open(folders);
  return std::unique_ptr<HiprtcEngine>(new HiprtcEngine(std::move(state)));
}

std::string HiprtcEngine::compiler_version() const { return state_->library.version.text; }
std::vector<std::string> HiprtcEngine::target_names() const { return state_->targets; }
void HiprtcEngine::keep_only(std::vector<std::string> targets) {
  state_->targets = std::move(targets);
}

Result<CompiledObject> HiprtcEngine::compile(const CompileCall& call) {
  const auto& known = state_->targets;
  if (std::find(known.begin(), known.end(), call.target) == known.end()) {
    return Error(Code::kMissing,
                 "hiprtc " + compiler_version() + " makes no code for \"" + call.target + "\"");
  }
  const HiprtcCalls& hiprtc = state_->library.calls;
  const std::vector<std::string> options = options_for(call.target);

  CompiledObject compiled;
  Build& build = compiled.build;
  build.target = call.target;
  build.compiler = compiler();
  build.compiler_version = compiler_version();
  build.options_hash = sha256_of(
      {{"version", compiler_version()}, {"prelude", prelude_hash()}, {"options", options}});
  const auto refuse = [&](const std::string& reason) {
    build.failure = Outcome{OutcomeKind::kCompileError, Stage::kCompile, reason};
    return std::move(compiled);
  };
  // The program is a C string.
  if (call.source.find('\0') != std::string::npos) return refuse("the source holds a NUL byte");

  std::vector<const char*> names;
  std::vector<const char*> texts;
  for (const VirtualFile& file : headers()) {
    names.push_back(file.name.c_str());
    texts.push_back(file.text.c_str());
  }
  const std::string text = "#line 1 \"" + std::string(kCandidateName) + "\"\n" + call.source;
  HiprtcCalls::Program handle = nullptr;
  if (hiprtc.create(&handle, text.c_str(), kCandidateName, static_cast<int>(names.size()),
                    texts.data(), names.data()) != 0) {
    return Error(Code::kInternal, "hiprtc cannot create a program");
  }
  const Program program(hiprtc, handle);
  for (const std::string& kernel : call.kernels) {
    if (hiprtc.add_name(program.get(), kernel.c_str()) != 0) {
      return refuse("hiprtc does not take the kernel name \"" + kernel.substr(0, 200) + "\"");
    }
  }
  std::vector<const char*> line;
  for (const std::string& option : options) line.push_back(option.c_str());
  const int status = hiprtc.compile(program.get(), static_cast<int>(line.size()), line.data());
  if (status != 0) {
    const ReadLog log =
        read_compiler_log(text_of(program.get(), hiprtc.log_size, hiprtc.log, kLogLimit),
                          kCandidateName, call.source);
    build.diagnostics = log.text;
    return refuse(log.first_error.empty() ? "it does not compile" : log.first_error);
  }
  compiled.object = text_of(program.get(), hiprtc.code_size, hiprtc.code, kObjectLimit);
  if (compiled.object.empty()) return Error(Code::kInternal, "hiprtc gave no object");
  for (const std::string& kernel : call.kernels) {
    const char* symbol = nullptr;
    if (hiprtc.lowered_name(program.get(), kernel.c_str(), &symbol) != 0 || symbol == nullptr) {
      return refuse("hiprtc makes no kernel of \"" + kernel + "\"");
    }
    KernelInfo info;
    info.expression = kernel;
    info.symbol = symbol;
    build.kernels.push_back(std::move(info));
  }
  TRY_VOID(read_amd_facts(call.target, compiled.object, build.kernels));
  if (state_->comgr) {
    state_->comgr->count_instructions(call.target, compiled.object, build.kernels);
  }
  build.object_hash = sha256(compiled.object);
  build.object_bytes = static_cast<std::int64_t>(compiled.object.size());
  return compiled;
}

}  // namespace kvgen
