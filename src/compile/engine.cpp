#include "kvgen/compile/engine.h"

#include <algorithm>

#include "compile/preprocess.h"
#include "compile/unit.h"
#include "kvgen/base/hash.h"

namespace kvgen {
namespace {

constexpr std::uint64_t kPchLimit = 256ULL << 20;
constexpr std::size_t kExpressionLimit = 1024;
constexpr const char* kWarmUp =
    "template <class T> __global__ void warm_up(const T* x, T* out, int n) {\n"
    "  __shared__ T part[256];\n"
    "  T sum = 0;\n"
    "  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += expf(x[i]);\n"
    "  part[threadIdx.x] = sum + __shfl_xor(sum, 1);\n"
    "  __syncthreads();\n"
    "  if (threadIdx.x < 128) atomicAdd(out, part[threadIdx.x] + part[threadIdx.x + 128]);\n"
    "}\n";

// Only what a name expression can hold: no way to end the declaration it is put in.
bool is_name_expression(const std::string& text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:<>, *&+-().'";
  return !text.empty() && text.size() <= kExpressionLimit &&
         text.find_first_not_of(kAllowed) == std::string::npos;
}

std::string hash_of_options(const CompileTarget& target) {
  Json files = Json::object();
  for (const VirtualFile& file : target.files()) files[file.name] = sha256(file.text);
  return sha256_of({{"version", ClangEngine::version()},
                    {"prelude", prelude_hash()},
                    {"epilogue", target.epilogue()},
                    {"arguments", unit_arguments(target)},
                    {"link", target.link_arguments()},
                    {"files", files}});
}

}  // namespace

ClangEngine::ClangEngine(std::vector<std::unique_ptr<CompileTarget>> targets) {
  initialise_llvm();
  for (auto& target : targets) {
    Entry entry;
    entry.options_hash = hash_of_options(*target);
    entry.target = std::move(target);
    entries_.push_back(std::move(entry));
  }
}

ClangEngine::~ClangEngine() = default;

std::string ClangEngine::version() { return llvm_version(); }

std::vector<std::string> ClangEngine::target_names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.target->name());
  return names;
}

namespace {

std::filesystem::path pch_path(const std::filesystem::path& folder, const std::string& target,
                               const std::string& options_hash) {
  return folder / (target + "-" + short_id(options_hash) + ".pch");
}

}  // namespace

Result<void> ClangEngine::build_pch(Entry& entry) {
  TRY(entry.pch, precompile(*entry.target));
  return ok();
}

Result<void> ClangEngine::prepare(Files& files, const std::filesystem::path& folder) {
  for (Entry& entry : entries_) {
    auto stored = files.read(pch_path(folder, entry.target->name(), entry.options_hash), kPchLimit);
    if (stored.ok() && !stored->empty()) {
      entry.pch = std::move(*stored);
    } else {
      TRY_VOID(build_pch(entry));
    }
    // Symbols bound and tables built here are the children's too.
    Unit unit(*entry.target, entry.pch);
    TRY(UnitFindings findings, unit.parse(kWarmUp, {"warm_up<float>"}));
    if (!findings.refusal) TRY_VOID(unit.assemble(findings));
    if (findings.refusal) {
      return Error(Code::kInternal, "a known-good kernel does not compile for " +
                                        entry.target->name() + ": " + findings.refusal->reason);
    }
  }
  return ok();
}

Result<void> ClangEngine::make_pch(Files& files, const std::filesystem::path& folder) {
  TRY_VOID(files.make_folder(folder));
  for (Entry& entry : entries_) {
    TRY_VOID(build_pch(entry));
    TRY_VOID(files.write_atomically(pch_path(folder, entry.target->name(), entry.options_hash),
                                    entry.pch));
  }
  return ok();
}

Result<ClangEngine::Entry*> ClangEngine::find(const std::string& target) {
  std::string known;
  for (Entry& entry : entries_) {
    if (entry.target->name() == target) return &entry;
    known += (known.empty() ? "" : ", ") + entry.target->name();
  }
  return Error(Code::kMissing, "kvgen-clang makes no code for \"" + target + "\"; it knows " +
                                   (known.empty() ? "no target" : known));
}

Result<CompiledObject> ClangEngine::compile(const CompileCall& call) {
  TRY(Entry * entry, find(call.target));
  if (entry->pch.empty()) TRY_VOID(build_pch(*entry));

  CompiledObject compiled;
  Build& build = compiled.build;
  build.target = call.target;
  build.compiler = "clang";
  build.compiler_version = version();
  build.options_hash = entry->options_hash;
  const auto refuse = [&](OutcomeKind kind, const std::string& reason) {
    build.failure = Outcome{kind, Stage::kCompile, reason};
    return std::move(compiled);
  };
  for (const std::string& kernel : call.kernels) {
    if (!is_name_expression(kernel)) {
      return refuse(OutcomeKind::kBadPlan,
                    "kernel \"" + kernel.substr(0, 200) + "\" is not a C++ name expression");
    }
  }
  if (call.source.find('\0') != std::string::npos) {
    return refuse(OutcomeKind::kCompileError, "the source holds a NUL byte");
  }

  std::string text = call.source;
  std::unique_ptr<Unit> unit;
  UnitFindings findings;
  // The text that is compiled is the one that is stored: host code goes first.
  for (int turn = 0; turn < 3; ++turn) {
    unit = std::make_unique<Unit>(*entry->target, entry->pch);
    TRY(findings, unit->parse(text, call.kernels));
    if (findings.refusal || findings.host.empty()) break;
    text = blanked(std::move(text), findings.host);
    for (const HostFunction& function : findings.host) {
      build.remarks.push_back("host_code_dropped: " + function.name);
    }
  }
  if (!findings.host.empty() && !findings.refusal) {
    return refuse(OutcomeKind::kCompileError,
                  "host functions that cannot be told from the device code");
  }
  if (text != call.source) build.device_source = text;
  build.tokens_hash = findings.tokens_hash;
  if (!findings.refusal) {
    TRY(const std::string object, unit->assemble(findings));
    if (!findings.refusal) {
      TRY(compiled.object, unit->link(object, findings));
    }
  }
  build.diagnostics = findings.diagnostics;
  build.failure = findings.refusal;
  if (build.failure) {
    compiled.object.clear();
    return compiled;
  }
  build.kernels = std::move(findings.kernels);
  build.object_hash = sha256(compiled.object);
  build.object_bytes = static_cast<std::int64_t>(compiled.object.size());
  return compiled;
}

}  // namespace kvgen
