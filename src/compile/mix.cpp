#include "compile/mix.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <memory>

#include "compile/mnemonics.h"

namespace kvgen {
namespace {

Error no_mix(const std::string& why) {
  return {Code::kInternal, "counting a code object's instructions: " + why};
}

// LLVM's machine code tables of one processor.
class Decoder {
 public:
  static Result<std::unique_ptr<Decoder>> make(const std::string& arch) {
    auto decoder = std::make_unique<Decoder>(arch);
    if (decoder->disassembler_ == nullptr || decoder->printer_ == nullptr) {
      return no_mix("LLVM cannot decode " + arch);
    }
    return decoder;
  }

  explicit Decoder(const std::string& arch) : triple_("amdgcn-amd-amdhsa") {
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple_, error);
    if (target == nullptr) return;
    registers_.reset(target->createMCRegInfo(triple_));
    assembly_.reset(target->createMCAsmInfo(*registers_, triple_, options_));
    instructions_.reset(target->createMCInstrInfo());
    subtarget_.reset(target->createMCSubtargetInfo(triple_, arch, ""));
    context_ = std::make_unique<llvm::MCContext>(triple_, assembly_.get(), registers_.get(),
                                                 subtarget_.get());
    disassembler_.reset(target->createMCDisassembler(*subtarget_, *context_));
    printer_.reset(
        target->createMCInstPrinter(triple_, 0, *assembly_, *instructions_, *registers_));
  }

  [[nodiscard]] InstructionMix mix_of(llvm::ArrayRef<std::uint8_t> code) const {
    constexpr std::uint64_t kWord = 4;
    InstructionMix mix;
    for (std::uint64_t at = 0; at < code.size();) {
      llvm::MCInst instruction;
      std::uint64_t size = 0;
      const auto status =
          disassembler_->getInstruction(instruction, size, code.slice(at), at, llvm::nulls());
      if (status == llvm::MCDisassembler::Success) {
        count_mnemonic(llvm::StringRef(printer_->getMnemonic(instruction).first).trim(), mix);
      }
      at += std::max(size, kWord);
    }
    return mix;
  }

 private:
  llvm::Triple triple_;
  llvm::MCTargetOptions options_;
  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> assembly_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

// A function's bytes; empty when the object holds none of that name.
llvm::ArrayRef<std::uint8_t> code_of(const llvm::object::ELF64LEObjectFile& object,
                                     const std::string& symbol) {
  for (const llvm::object::ELFSymbolRef function : object.symbols()) {
    auto name = function.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (*name != symbol || function.getELFType() != llvm::ELF::STT_FUNC) continue;
    auto section = function.getSection();
    auto address = function.getAddress();
    if (!section || !address || *section == object.section_end()) {
      llvm::consumeError(section.takeError());
      llvm::consumeError(address.takeError());
      return {};
    }
    auto contents = (*section)->getContents();
    if (!contents) {
      llvm::consumeError(contents.takeError());
      return {};
    }
    const std::uint64_t begin = *address - (*section)->getAddress();
    if (*address < (*section)->getAddress() || begin > contents->size()) return {};
    const std::uint64_t size =
        std::min<std::uint64_t>(function.getSize(), contents->size() - begin);
    return {contents->bytes_begin() + begin, static_cast<std::size_t>(size)};
  }
  return {};
}

}  // namespace

Result<void> count_instructions(const std::string& arch, std::string_view object,
                                std::vector<KernelInfo>& kernels) {
  auto parsed = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "object"));
  if (!parsed) return no_mix(llvm::toString(parsed.takeError()));
  const auto* elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(parsed->get());
  if (elf == nullptr) return no_mix("not a little-endian ELF of 64 bits");
  TRY(const auto decoder, Decoder::make(arch));
  for (KernelInfo& kernel : kernels) {
    if (kernel.facts) kernel.facts->mix = decoder->mix_of(code_of(*elf, kernel.symbol));
  }
  return ok();
}

}  // namespace kvgen
