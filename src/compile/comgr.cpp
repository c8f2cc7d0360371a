#include "compile/comgr.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "compile/bytes.h"
#include "compile/mnemonics.h"
#include "compile/shared_library.h"

namespace kvgen {
namespace {

constexpr const char* kNames[] = {"libamd_comgr.so.3", "libamd_comgr.so.2"};
constexpr std::uint64_t kWord = 4;  // the shortest instruction

template <class Calls>
bool find_all(void* library, Calls& calls) {
  return find_function(library, "amd_comgr_create_disassembly_info", calls.create) &&
         find_function(library, "amd_comgr_destroy_disassembly_info", calls.destroy) &&
         find_function(library, "amd_comgr_disassemble_instruction", calls.decode);
}

// What the callbacks see: code that begins at address 0, and where its instructions are counted.
struct Reading {
  std::string_view code;
  InstructionMix mix;
};

std::uint64_t read_code(std::uint64_t from, char* to, std::uint64_t size, void* user) {
  const std::string_view code = static_cast<const Reading*>(user)->code;
  const std::string_view there =
      code.substr(std::min<std::uint64_t>(from, code.size()), static_cast<std::size_t>(size));
  std::memcpy(to, there.data(), there.size());
  return there.size();
}

void count_printed(const char* instruction, void* user) {
  std::string_view text = instruction;
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  count_mnemonic(text.substr(0, text.find_first_of(" \t\n")), static_cast<Reading*>(user)->mix);
}

void ignore_address(std::uint64_t, void*) {}

struct Elf {
  std::string_view bytes;
  std::vector<Elf64_Shdr> sections;
};

Elf read_elf(std::string_view bytes) {
  Elf elf{bytes, {}};
  Elf64_Ehdr header;
  if (!read_at(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64) {
    return elf;
  }
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!read_at(bytes, header.e_shoff + i * sizeof section, section)) break;
    elf.sections.push_back(section);
  }
  return elf;
}

}  // namespace

std::string_view function_code(std::string_view object, std::string_view symbol) {
  const Elf elf = read_elf(object);
  for (const Elf64_Shdr& table : elf.sections) {
    if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
    if (table.sh_link >= elf.sections.size()) continue;
    const Elf64_Shdr& names = elf.sections[table.sh_link];
    const std::string_view text = piece(object, names.sh_offset, names.sh_size);
    const std::string_view entries = piece(object, table.sh_offset, table.sh_size);
    Elf64_Sym entry;
    for (std::uint64_t at = 0; read_at(entries, at, entry); at += sizeof entry) {
      if (ELF64_ST_TYPE(entry.st_info) != STT_FUNC || entry.st_name >= text.size()) continue;
      const std::string_view name = text.substr(entry.st_name);
      if (name.substr(0, name.find('\0')) != symbol || entry.st_shndx >= elf.sections.size()) {
        continue;
      }
      const Elf64_Shdr& section = elf.sections[entry.st_shndx];
      if (entry.st_value < section.sh_addr) return {};
      return piece(piece(object, section.sh_offset, section.sh_size),
                   entry.st_value - section.sh_addr, entry.st_size);
    }
  }
  return {};
}

std::optional<Comgr> Comgr::open(const std::vector<std::filesystem::path>& folders) {
  Calls calls;
  const auto take = [&](void* library) { return find_all(library, calls); };
  if (open_library(kNames, folders, take) == nullptr) return std::nullopt;
  return Comgr(calls);
}

void Comgr::count_instructions(const std::string& arch, std::string_view object,
                               std::vector<KernelInfo>& kernels) const {
  const std::string isa = "amdgcn-amd-amdhsa--" + arch;
  Info info{};
  if (calls_.create(isa.c_str(), read_code, count_printed, ignore_address, &info) != 0) return;
  for (KernelInfo& kernel : kernels) {
    Reading reading{function_code(object, kernel.symbol), {}};
    if (!kernel.facts || reading.code.empty()) continue;
    for (std::uint64_t at = 0; at < reading.code.size();) {
      std::uint64_t size = 0;
      const bool decoded = calls_.decode(info, at, &reading, &size) == 0;
      at += decoded ? std::max(size, kWord) : kWord;
    }
    kernel.facts->mix = reading.mix;
  }
  calls_.destroy(info);
}

}  // namespace kvgen
