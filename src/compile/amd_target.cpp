#include "kvgen/compile/amd_target.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

#include "compile/facts.h"
#include "compile/mix.h"

namespace kvgen {
namespace {

constexpr std::uint64_t kLibraryLimit = 64ULL << 20;
constexpr const char* kTriple = "amdgcn-amd-amdhsa";
constexpr const char* kDataLayout =
    "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-"
    "p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-"
    "v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9";

// Order matters to nobody; oclc_* are the switches that ocml and ockl read.
constexpr std::string_view kLibraries[] = {"ocml",
                                           "ockl",
                                           "oclc_daz_opt_off",
                                           "oclc_unsafe_math_off",
                                           "oclc_finite_only_off",
                                           "oclc_correctly_rounded_sqrt_on",
                                           "oclc_wavefrontsize64_on",
                                           "oclc_abi_version_500"};
constexpr std::string_view kIsaFile = "/kvgen/device/isa.bc";

std::string mounted_name(std::string_view library) {
  return "/kvgen/device/" + std::string(library) + ".bc";
}

// gfx90a: 9 * 1000 + 0 * 100 + 0xa, as the device libraries' oclc_isa_version_*.bc hold it.
int isa_version(const std::string& arch) {
  const std::string digits = arch.substr(3);
  const auto hex = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  const std::size_t size = digits.size();
  return std::stoi(digits.substr(0, size - 2)) * 1000 + hex(digits[size - 2]) * 100 +
         hex(digits[size - 1]);
}

// The libraries' own files of this kind stop at the architectures of their day.
std::string isa_bitcode(const std::string& arch) {
  llvm::LLVMContext context;
  llvm::Module module("isa", context);
  module.setTargetTriple(llvm::Triple(kTriple));
  module.setDataLayout(kDataLayout);
  auto* type = llvm::Type::getInt32Ty(context);
  auto* variable = new llvm::GlobalVariable(
      module, type, /*isConstant=*/true, llvm::GlobalValue::LinkOnceODRLinkage,
      llvm::ConstantInt::get(type, isa_version(arch)), "__oclc_ISA_version", nullptr,
      llvm::GlobalValue::NotThreadLocal, 4);
  variable->setVisibility(llvm::GlobalValue::ProtectedVisibility);
  variable->setAlignment(llvm::Align(4));
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

class AmdTarget : public CompileTarget {
 public:
  AmdTarget(std::string arch, std::vector<VirtualFile> files)
      : arch_(std::move(arch)), files_(std::move(files)) {}

  [[nodiscard]] std::string name() const override { return arch_; }
  [[nodiscard]] std::vector<std::string> arguments() const override {
    std::vector<std::string> arguments = {"-triple",
                                          kTriple,
                                          "-aux-triple",
                                          "x86_64-unknown-linux-gnu",
                                          "-target-cpu",
                                          arch_,
                                          "-mrelocation-model",
                                          "pic",
                                          "-pic-level",
                                          "2",
                                          "-mframe-pointer=none",
                                          "-fapply-global-visibility-to-externs",
                                          "-mcode-object-version=5"};
    for (const VirtualFile& file : files_) {
      arguments.insert(arguments.end(), {"-mlink-builtin-bitcode", file.name});
    }
    return arguments;
  }
  [[nodiscard]] const std::vector<VirtualFile>& files() const override { return files_; }
  [[nodiscard]] std::string epilogue() const override { return ""; }
  [[nodiscard]] bool judges_assembly() const override { return true; }
  [[nodiscard]] std::string lds_section() const override { return ""; }
  [[nodiscard]] bool imports(std::string_view) const override { return false; }
  Result<void> lower(llvm::Module&, std::vector<KernelInfo>&) const override { return ok(); }
  [[nodiscard]] std::vector<std::string> link_arguments() const override {
    return {"-m", "elf64_amdgpu", "--no-undefined", "-shared"};
  }
  Result<std::optional<Outcome>> read_object(std::string_view object,
                                             std::vector<KernelInfo>& kernels) const override {
    TRY_VOID(read_amd_facts(arch_, object, kernels));
    TRY_VOID(count_instructions(arch_, object, kernels));
    return std::optional<Outcome>();
  }

 private:
  std::string arch_;
  std::vector<VirtualFile> files_;
};

}  // namespace

const std::vector<std::string>& amd_architectures() {
  static const std::vector<std::string> known = {"gfx90a", "gfx942"};
  return known;
}

std::vector<std::filesystem::path> device_library_folders() {
  return {"/opt/rocm/amdgcn/bitcode", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
          "/usr/lib64/amdgcn/bitcode", "/usr/amdgcn/bitcode"};
}

Result<std::unique_ptr<CompileTarget>> amd_target(
    const std::string& arch, Files& files, const std::vector<std::filesystem::path>& folders) {
  const auto& known = amd_architectures();
  if (std::find(known.begin(), known.end(), arch) == known.end()) {
    return Error(Code::kMissing, "no code objects for \"" + arch + "\"");
  }
  const auto folder = std::find_if(folders.begin(), folders.end(), [&](const auto& candidate) {
    return files.exists(candidate / "ocml.bc");
  });
  if (folder == folders.end()) {
    return Error(Code::kMissing,
                 "ROCm's device libraries (ocml.bc) are in none of the usual folders; install the "
                 "package rocm-device-libs");
  }
  std::vector<VirtualFile> mounted;
  for (const std::string_view library : kLibraries) {
    TRY(std::string bytes, files.read(*folder / (std::string(library) + ".bc"), kLibraryLimit));
    mounted.push_back({mounted_name(library), std::move(bytes)});
  }
  mounted.push_back({std::string(kIsaFile), isa_bitcode(arch)});
  return std::unique_ptr<CompileTarget>(std::make_unique<AmdTarget>(arch, std::move(mounted)));
}

}  // namespace kvgen
