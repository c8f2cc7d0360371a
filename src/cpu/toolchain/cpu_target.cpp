#include "kvgen/cpu/toolchain/cpu_target.h"

#include "cpu/toolchain/lower.h"
#include "cpu/toolchain/unresolved.h"
#include "kvgen/cpu/abi.h"
#include "kvgen/cpu/importable.h"

namespace kvgen {
namespace {

class CpuTarget : public CompileTarget {
 public:
  explicit CpuTarget(bool v3) : v3_(v3) {}

  [[nodiscard]] std::string name() const override { return "cpu"; }
  [[nodiscard]] std::vector<std::string> arguments() const override {
    return {"-triple", "x86_64-unknown-linux-gnu", "-aux-triple", "x86_64-unknown-linux-gnu",
            "-target-cpu", v3_ ? "x86-64-v3" : "x86-64-v2", "-mrelocation-model", "pic",
            "-pic-level", "2", "-mframe-pointer=none", "-mlong-double-64",
            "-fstack-clash-protection", "-ffp-contract=fast-honor-pragmas",
            // _Float16 rounds after each operation, as on a GPU.
            "-ffloat16-excess-precision=none"};
  }
  [[nodiscard]] const std::vector<VirtualFile>& files() const override { return files_; }
  // A candidate finds the macros of a GPU here, not those of this machine.
  [[nodiscard]] std::string epilogue() const override {
    std::string text;
    for (const char* name : {"__x86_64__",
                             "__x86_64",
                             "__amd64__",
                             "__amd64",
                             "__k8",
                             "__k8__",
                             "__tune_k8__",
                             "__MMX__",
                             "__SSE__",
                             "__SSE2__",
                             "__SSE3__",
                             "__SSSE3__",
                             "__SSE4_1__",
                             "__SSE4_2__",
                             "__SSE_MATH__",
                             "__SSE2_MATH__",
                             "__AVX__",
                             "__AVX2__",
                             "__BMI__",
                             "__BMI2__",
                             "__F16C__",
                             "__FMA__",
                             "__CRC32__",
                             "__LAHF_SAHF__",
                             "__LZCNT__",
                             "__MOVBE__",
                             "__POPCNT__",
                             "__XSAVE__",
                             "__FXSR__",
                             "__SEG_FS",
                             "__SEG_GS",
                             "__seg_fs",
                             "__seg_gs",
                             "__code_model_small__",
                             "__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16",
                             "__GCC_ASM_FLAG_OUTPUTS__",
                             "__REGISTER_PREFIX__"}) {
      text += std::string("#undef ") + name + "\n";
    }
    for (const char* line : {"__AMDGCN__ 1", "__AMDGPU__ 1", "__AMD__ 1", "__GFX9__ 1",
                             "__HAS_FMAF__ 1", "__HAS_FP64__ 1", "__HAS_LDEXPF__ 1",
                             "FP_FAST_FMA 1", "FP_FAST_FMAF 1", "__AMDGCN_CUMODE__ 1"}) {
      text += std::string("#define ") + line + "\n";
    }
    return text;
  }
  [[nodiscard]] bool judges_assembly() const override { return false; }
  [[nodiscard]] std::string lds_section() const override { return KVGEN_CPU_LDS_SECTION; }
  [[nodiscard]] bool imports(std::string_view symbol) const override { return importable(symbol); }
  Result<void> lower(llvm::Module& module, std::vector<KernelInfo>& kernels) const override {
    lower_for_cpu(module, v3_ ? KVGEN_CPU_ISA_V3 : KVGEN_CPU_ISA_V2, kernels);
    return ok();
  }
  [[nodiscard]] std::vector<std::string> link_arguments() const override {
    return {"-m", "elf_x86_64", "-shared", "-Bsymbolic",  "--hash-style=sysv", "-z", "now",
            "-z", "norelro",    "-z",      "noexecstack", "--gc-sections",     "-s"};
  }
  Result<std::optional<Outcome>> read_object(std::string_view object,
                                             std::vector<KernelInfo>&) const override {
    TRY(const std::vector<std::string> missing, unresolved_in(object));
    for (const std::string& symbol : missing) {
      if (importable(symbol)) continue;
      return std::optional(Outcome{OutcomeKind::kNotJudgedHere, Stage::kCompile,
                                   "it needs \"" + symbol + "\", which the cpu device lacks"});
    }
    return std::optional<Outcome>();
  }

 private:
  bool v3_;
  std::vector<VirtualFile> files_;
};

}  // namespace

std::unique_ptr<CompileTarget> cpu_target() {
  return std::make_unique<CpuTarget>(__builtin_cpu_supports("x86-64-v3") != 0);
}

}  // namespace kvgen
