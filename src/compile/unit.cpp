#include "compile/unit.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/BackendUtil.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compile/diagnostics.h"
#include "compile/float_atomics.h"
#include "compile/inspect.h"
#include "compile/link.h"
#include "compile/names.h"

namespace kvgen {
namespace {

using MemoryFiles = llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>;

void mount(llvm::vfs::InMemoryFileSystem& files, std::string_view name, std::string_view text) {
  files.addFile(llvm::StringRef(name), 0,
                llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(text), llvm::StringRef(name),
                                                 /*RequiresNullTerminator=*/false));
}

std::string prelude_source(const CompileTarget& target) {
  return "#include \"" + std::string(kPreludeEntry) + "\"\n#pragma clang system_header\n" +
         target.epilogue();
}

// What every compile of a target sees besides the candidate. Texts must outlive it.
MemoryFiles mounted(const CompileTarget& target, const std::string& prelude) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const VirtualFile& header : prelude_files()) {
    mount(*files, std::string(kHeaderFolder) + header.name, header.text);
  }
  for (const VirtualFile& file : target.files()) mount(*files, file.name, file.text);
  mount(*files, kPreludeSource, prelude);
  return files;
}

bool invoke(clang::CompilerInvocation& invocation, const std::vector<std::string>& arguments,
            clang::DiagnosticConsumer& diagnostics) {
  std::vector<const char*> line;
  for (const std::string& argument : arguments) line.push_back(argument.c_str());
  clang::DiagnosticOptions options;
  clang::DiagnosticsEngine engine(clang::DiagnosticIDs::create(), options, &diagnostics,
                                  /*ShouldOwnClient=*/false);
  return clang::CompilerInvocation::CreateFromArgs(invocation, line, engine);
}

// Errors of the optimiser and the code generator. LLVM's own handler would end the process.
class BackendDiagnostics : public llvm::DiagnosticHandler {
 public:
  BackendDiagnostics(CandidateDiagnostics& diagnostics, const clang::SourceManager& sources,
                     bool& failed)
      : diagnostics_(diagnostics), sources_(sources), failed_(failed) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    failed_ = true;
    std::string message;
    llvm::raw_string_ostream stream(message);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    std::uint64_t cookie = 0;
    if (const auto* assembly = llvm::dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info)) {
      cookie = assembly->getLocCookie();
    } else if (const auto* source = llvm::dyn_cast<llvm::DiagnosticInfoSrcMgr>(&info)) {
      cookie = source->getLocCookie();
      message = source->getSMDiag().getMessage().str();
    }
    diagnostics_.add_error(sources_,
                           clang::SourceLocation::getFromRawEncoding(
                               static_cast<clang::SourceLocation::UIntTy>(cookie)),
                           message);
    return true;
  }

 private:
  CandidateDiagnostics& diagnostics_;
  const clang::SourceManager& sources_;
  bool& failed_;
};

class FrontEnd : public clang::EmitLLVMOnlyAction {
 public:
  FrontEnd(llvm::LLVMContext& context, InspectionJob job)
      : EmitLLVMOnlyAction(&context), job_(job) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef file) override {
    auto code_generation = EmitLLVMOnlyAction::CreateASTConsumer(instance, file);
    if (code_generation == nullptr) return nullptr;
    clang::Preprocessor& preprocessor = instance.getPreprocessor();
    preprocessor.addPPCallbacks(std::make_unique<PreprocessWatch>(preprocessor, job_.preprocess));
    preprocessor.AddPragmaHandler(new InstantiatePragma(job_.expressions, job_.diagnostics));
    const clang::SourceManager& sources = instance.getSourceManager();
    preprocessor.setTokenWatcher([this, &sources](const clang::Token& token) {
      if (token.isNot(clang::tok::kw_asm) || job_.preprocess.assembly_line > 0 ||
          !spelled_by_candidate(sources, token.getLocation())) {
        return;
      }
      const auto place = candidate_place(sources, token.getLocation());
      job_.preprocess.assembly_line = place ? place->line : 1;
    });
    return std::make_unique<Inspector>(instance, *this, std::move(code_generation), job_);
  }

 private:
  InspectionJob job_;
};

}  // namespace

std::vector<std::string> unit_arguments(const CompileTarget& target) {
  std::vector<std::string> arguments = {"-x",
                                        "hip",
                                        "-fcuda-is-device",
                                        "-std=gnu++17",
                                        "-fgnuc-version=4.2.1",
                                        "-fcuda-allow-variadic-functions",
                                        "-fvisibility=hidden",
                                        "-fcxx-exceptions",
                                        "-fexceptions",
                                        "-O3",
                                        "-vectorize-loops",
                                        "-vectorize-slp",
                                        "-w",
                                        "-ferror-limit",
                                        "20",
                                        "-disable-pragma-debug-crash",
                                        "-fno-validate-pch",
                                        "-nostdsysteminc",
                                        "-nobuiltininc",
                                        "-internal-isystem",
                                        std::string(kHeaderFolder)};
  for (std::string& argument : target.arguments()) arguments.push_back(std::move(argument));
  return arguments;
}

struct Unit::State {
  const CompileTarget& target;
  std::string_view pch;
  std::string prelude;
  std::string text;
  std::string unit_text;
  std::vector<std::string> expressions;
  CandidateDiagnostics diagnostics;
  PreprocessFindings preprocess;
  std::unique_ptr<clang::CompilerInstance> instance;
  llvm::LLVMContext context;
  std::unique_ptr<FrontEnd> action;
  std::unique_ptr<llvm::Module> module;
};

Unit::Unit(const CompileTarget& target, std::string_view pch)
    : state_(new State{.target = target, .pch = pch, .prelude = prelude_source(target)}) {}

Unit::~Unit() = default;

Result<UnitFindings> Unit::parse(const std::string& text, const std::vector<std::string>& kernels) {
  State& state = *state_;
  state.text = text;
  state.unit_text = "#include \"kernel.hip\"\n#pragma " + std::string(kInstantiatePragma) + "\n";
  state.expressions = kernels;

  MemoryFiles files = mounted(state.target, state.prelude);
  mount(*files, kUnitFile, state.unit_text);
  mount(*files, kCandidateFile, state.text);
  mount(*files, kPreludePch, state.pch);
  files->setCurrentWorkingDirectory("/kvgen");

  std::vector<std::string> arguments = unit_arguments(state.target);
  arguments.insert(arguments.end(), {"-include-pch", std::string(kPreludePch), "-emit-llvm-only",
                                     std::string(kUnitFile)});
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!invoke(*invocation, arguments, state.diagnostics)) {
    return Error(Code::kInternal,
                 "clang refuses kvgen's own arguments: " + state.diagnostics.first_error());
  }
  state.instance = std::make_unique<clang::CompilerInstance>(std::move(invocation));
  clang::CompilerInstance& instance = *state.instance;
  instance.setVirtualFileSystem(files);
  instance.createDiagnostics(&state.diagnostics, /*ShouldOwnClient=*/false);
  instance.getFrontendOpts().SkipFunctionBodies = true;
  // The module is changed before it is optimised: assemble().
  instance.getCodeGenOpts().DisableLLVMPasses = true;

  UnitFindings findings;
  state.action = std::make_unique<FrontEnd>(
      state.context, InspectionJob{state.target, state.text, state.expressions, state.diagnostics,
                                   state.preprocess, findings});
  const bool parsed = instance.ExecuteAction(*state.action);
  findings.diagnostics = state.diagnostics.text();
  findings.tokens_hash = hash_tokens(state.text, state.preprocess, instance.getLangOpts());
  if (state.preprocess.refusal) findings.refusal = state.preprocess.refusal;
  if (!findings.refusal && (!parsed || !state.diagnostics.first_error().empty())) {
    findings.refusal =
        Outcome{OutcomeKind::kCompileError, Stage::kCompile,
                state.diagnostics.first_error().empty() ? std::string("it does not compile")
                                                        : state.diagnostics.first_error()};
  }
  if (!findings.refusal && findings.host.empty()) {
    state.module = state.action->takeModule();
    if (state.module == nullptr) return Error(Code::kInternal, "clang gave no module");
  }
  return findings;
}

Result<std::string> Unit::assemble(UnitFindings& findings) {
  State& state = *state_;
  clang::CompilerInstance& instance = *state.instance;
  TRY_VOID(state.target.lower(*state.module, findings.kernels));

  bool failed = false;
  state.context.setDiagnosticHandler(
      std::make_unique<BackendDiagnostics>(state.diagnostics, instance.getSourceManager(), failed));
  llvm::SmallVector<char, 0> object;
  const auto emit = [&](clang::BackendAction what) {
    clang::emitBackendOutput(instance, instance.getCodeGenOpts(),
                             instance.getTarget().getDataLayoutString(), state.module.get(), what,
                             instance.getVirtualFileSystemPtr(),
                             std::make_unique<llvm::raw_svector_ostream>(object));
  };
  // Optimised apart from code generation, to look at the module between them.
  instance.getCodeGenOpts().DisableLLVMPasses = false;
  emit(clang::Backend_EmitNothing);
  find_float_atomics(*state.module, findings.kernels);
  instance.getCodeGenOpts().DisableLLVMPasses = true;
  emit(clang::Backend_EmitObj);
  const auto refuse = [&](const std::string& reason) {
    findings.diagnostics = state.diagnostics.text();
    findings.refusal = Outcome{OutcomeKind::kCompileError, Stage::kCompile, reason};
    return std::string();
  };
  if (failed || !state.diagnostics.first_error().empty()) {
    return refuse(state.diagnostics.first_error());
  }
  return std::string(object.data(), object.size());
}

Result<std::string> Unit::link(std::string_view object, UnitFindings& findings) {
  const CompileTarget& target = state_->target;
  TRY(Linked linked, link_object(object, target.link_arguments()));
  // Functions nobody defines were refused before: what is left is ours.
  if (linked.object.empty()) {
    return Error(Code::kInternal, "lld refuses the object: " + linked.message.substr(0, 400));
  }
  TRY(findings.refusal, target.read_object(linked.object, findings.kernels));
  return std::move(linked.object);
}

Result<std::string> precompile(const CompileTarget& target) {
  const std::string prelude = prelude_source(target);
  MemoryFiles files = mounted(target, prelude);
  files->setCurrentWorkingDirectory("/kvgen");
  const int output = ::memfd_create("pch", MFD_CLOEXEC);
  if (output < 0) return Error(Code::kFull, "no memory file for the precompiled header");
  std::vector<std::string> arguments = unit_arguments(target);
  arguments.insert(arguments.end(),
                   {"-emit-pch", "-fpch-instantiate-templates", "-fno-temp-file", "-o",
                    "/proc/self/fd/" + std::to_string(output), std::string(kPreludeSource)});
  CandidateDiagnostics diagnostics;
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  bool good = invoke(*invocation, arguments, diagnostics);
  if (good) {
    clang::CompilerInstance instance(std::move(invocation));
    instance.setVirtualFileSystem(files);
    instance.createDiagnostics(&diagnostics, /*ShouldOwnClient=*/false);
    clang::GeneratePCHAction action;
    good = instance.ExecuteAction(action) && diagnostics.first_error().empty();
  }
  std::string pch;
  const off_t size = ::lseek(output, 0, SEEK_END);
  if (good && size > 0) {
    pch.resize(static_cast<std::size_t>(size));
    good = ::pread(output, pch.data(), pch.size(), 0) == size;
  }
  ::close(output);
  if (!good || pch.empty()) {
    return Error(Code::kInternal, "kvgen's own headers do not compile for " + target.name() + ": " +
                                      diagnostics.text());
  }
  return pch;
}

std::string llvm_version() { return LLVM_VERSION_STRING; }

void initialise_llvm() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUDisassembler();
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmParser();
  LLVMInitializeX86AsmPrinter();
  const char* options[] = {"kvgen-clang", "-amdgpu-internalize-symbols"};
  llvm::cl::ParseCommandLineOptions(2, options);
}

}  // namespace kvgen
