#include "kvgen/cpu/object.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "cpu/runtime/imports.h"
#include "kvgen/cpu/abi.h"

namespace kvgen {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kBytesLimit = 64UL << 20;
constexpr std::uint64_t kSpanLimit = 128UL << 20;

Error refuse(std::string what) {
  return {Code::kInvalid, "the object is not one for the cpu device: " + std::move(what)};
}

// Reads structures of an untrusted file, by offset, copying them out.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }
  template <class T>
  [[nodiscard]] std::optional<T> at(std::uint64_t offset) const {
    if (!holds(offset, sizeof(T))) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  [[nodiscard]] std::optional<std::string_view> text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return std::nullopt;
    const std::string_view rest = bytes_.substr(offset, 4096);
    const auto end = rest.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
  }

 private:
  std::string_view bytes_;
};

struct Dynamic {
  std::uint64_t symbols = 0, strings = 0, hash = 0;
  std::uint64_t rela = 0, rela_bytes = 0, plt = 0, plt_bytes = 0;
};

class Reader {
 public:
  explicit Reader(CpuObject& object) : object_(object), file_(object.bytes) {}

  Result<void> read() {
    TRY_VOID(read_header());
    TRY_VOID(read_dynamic());
    TRY_VOID(read_symbols());
    TRY_VOID(read_relocations(dynamic_.rela, dynamic_.rela_bytes));
    TRY_VOID(read_relocations(dynamic_.plt, dynamic_.plt_bytes));
    return read_info();
  }

 private:
  Result<void> read_header() {
    const auto header = file_.at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return refuse("no ELF");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_X86_64 || header->e_type != ET_DYN ||
        header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > 64) {
      return refuse("no x86-64 shared object");
    }
    for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
      const auto program = file_.at<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
      if (header->e_phoff > object_.bytes.size() || !program) return refuse("cut short");
      TRY_VOID(read_program_header(*program));
    }
    if (object_.segments.empty()) return refuse("nothing to load");
    return ok();
  }

  Result<void> read_program_header(const Elf64_Phdr& program) {
    switch (program.p_type) {
      case PT_LOAD:
        return add_segment(program);
      case PT_DYNAMIC:
        dynamic_at_ = program.p_offset;
        dynamic_bytes_ = program.p_filesz;
        return ok();
      case PT_PHDR:
      case PT_NOTE:
      case PT_GNU_EH_FRAME:
      case PT_GNU_STACK:
      case PT_GNU_RELRO:
        if ((program.p_flags & PF_X) != 0 && program.p_type == PT_GNU_STACK) {
          return refuse("an executable stack");
        }
        return ok();
      case PT_INTERP:
        return refuse("an interpreter");
      case PT_TLS:
        return refuse("thread-local storage");
      default:
        return refuse("a program header of type " + std::to_string(program.p_type));
    }
  }

  Result<void> add_segment(const Elf64_Phdr& program) {
    if (!file_.holds(program.p_offset, program.p_filesz) || program.p_filesz > program.p_memsz ||
        program.p_memsz > kSpanLimit || program.p_vaddr > kSpanLimit ||
        (program.p_vaddr - program.p_offset) % kPage != 0) {
      return refuse("a segment beyond the file");
    }
    CpuObject::Segment segment;
    segment.address = program.p_vaddr;
    segment.memory_bytes = program.p_memsz;
    segment.file_offset = program.p_offset;
    segment.file_bytes = program.p_filesz;
    segment.writable = (program.p_flags & PF_W) != 0;
    segment.executable = (program.p_flags & PF_X) != 0;
    if (segment.writable && segment.executable) return refuse("a writable and executable segment");
    if (segment.address / kPage * kPage < object_.span) return refuse("overlapping segments");
    object_.span = (segment.address + segment.memory_bytes + kPage - 1) / kPage * kPage;
    object_.segments.push_back(segment);
    return ok();
  }

  Result<void> read_dynamic() {
    for (std::uint64_t i = 0; i < dynamic_bytes_ / sizeof(Elf64_Dyn); ++i) {
      const auto entry = file_.at<Elf64_Dyn>(dynamic_at_ + i * sizeof(Elf64_Dyn));
      if (!entry) return refuse("cut short");
      if (entry->d_tag == DT_NULL) break;
      TRY_VOID(read_dynamic_entry(entry->d_tag, entry->d_un.d_val));
    }
    if (dynamic_.symbols == 0 || dynamic_.strings == 0 || dynamic_.hash == 0) {
      return refuse("no dynamic symbols, or none counted (--hash-style=sysv)");
    }
    return ok();
  }

  Result<void> read_dynamic_entry(std::int64_t tag, std::uint64_t value) {
    switch (tag) {
      case DT_SYMTAB:
        dynamic_.symbols = value;
        return ok();
      case DT_STRTAB:
        dynamic_.strings = value;
        return ok();
      case DT_HASH:
        dynamic_.hash = value;
        return ok();
      case DT_RELA:
        dynamic_.rela = value;
        return ok();
      case DT_RELASZ:
        dynamic_.rela_bytes = value;
        return ok();
      case DT_JMPREL:
        dynamic_.plt = value;
        return ok();
      case DT_PLTRELSZ:
        dynamic_.plt_bytes = value;
        return ok();
      case DT_SYMENT:
        return value == sizeof(Elf64_Sym) ? ok() : Result<void>(refuse("odd symbols"));
      case DT_RELAENT:
        return value == sizeof(Elf64_Rela) ? ok() : Result<void>(refuse("odd relocations"));
      case DT_PLTREL:
        return value == DT_RELA ? ok() : Result<void>(refuse("odd relocations"));
      case DT_STRSZ:
      case DT_RELACOUNT:
      case DT_PLTGOT:
      case DT_GNU_HASH:
      case DT_SONAME:
      case DT_BIND_NOW:
      case DT_SYMBOLIC:
        return ok();
      case DT_FLAGS:
        return (value & ~std::uint64_t{DF_BIND_NOW | DF_SYMBOLIC}) == 0
                   ? ok()
                   : Result<void>(refuse("text relocations or static TLS"));
      case DT_FLAGS_1:
        return (value & ~std::uint64_t{DF_1_NOW}) == 0 ? ok() : Result<void>(refuse("odd flags"));
      case DT_INIT:
      case DT_INIT_ARRAY:
      case DT_INIT_ARRAYSZ:
      case DT_PREINIT_ARRAY:
        return refuse("a constructor");
      case DT_FINI:
      case DT_FINI_ARRAY:
      case DT_FINI_ARRAYSZ:
        return refuse("a destructor");
      case DT_NEEDED:
        return refuse("it needs another library");
      default:
        return refuse("a dynamic entry of type " + std::to_string(tag));
    }
  }

  // Where an address of the image lies in the file.
  [[nodiscard]] std::optional<std::uint64_t> in_file(std::uint64_t address) const {
    for (const auto& segment : object_.segments) {
      if (address >= segment.address && address - segment.address < segment.file_bytes) {
        return segment.file_offset + (address - segment.address);
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool inside(std::uint64_t address, std::uint64_t bytes, bool writable,
                            bool executable) const {
    return std::any_of(object_.segments.begin(), object_.segments.end(), [&](const auto& segment) {
      return address >= segment.address && address - segment.address <= segment.memory_bytes &&
             bytes <= segment.memory_bytes - (address - segment.address) &&
             (segment.writable || !writable) && segment.executable == executable;
    });
  }

  template <class T>
  [[nodiscard]] std::optional<T> in_image(std::uint64_t address) const {
    const auto offset = in_file(address);
    return offset ? file_.at<T>(*offset) : std::nullopt;
  }

  Result<void> read_symbols() {
    const auto chains = in_image<std::uint32_t>(dynamic_.hash + 4);
    if (!chains || *chains > 1'000'000) return refuse("cut short");
    for (std::uint64_t i = 1; i < *chains; ++i) {
      const auto symbol = in_image<Elf64_Sym>(dynamic_.symbols + i * sizeof(Elf64_Sym));
      const auto strings = in_file(dynamic_.strings);
      if (!symbol || !strings) return refuse("cut short");
      const auto name = file_.text(*strings + symbol->st_name);
      if (!name) return refuse("a symbol without a name");
      const int type = ELF64_ST_TYPE(symbol->st_info);
      if (type == STT_GNU_IFUNC) return refuse("an ifunc: " + std::string(*name));
      if (type == STT_TLS) return refuse("thread-local storage: " + std::string(*name));
      if (symbol->st_shndx != SHN_UNDEF) {
        if (*name == "kvgen_cpu_object") info_ = symbol->st_value;
        if (type == STT_FUNC && inside(symbol->st_value, 1, false, true)) {
          object_.functions.emplace(*name, symbol->st_value);
        }
      } else if (*name != "kvgen_cpu_dynamic_lds" && import_address(*name) == nullptr) {
        return refuse("it calls or reads " + std::string(*name) +
                      ", which the device does not have");
      }
    }
    return ok();
  }

  Result<void> read_relocations(std::uint64_t table, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes / sizeof(Elf64_Rela); ++i) {
      const auto entry = in_image<Elf64_Rela>(table + i * sizeof(Elf64_Rela));
      if (!entry) return refuse("cut short");
      if (!inside(entry->r_offset, 8, true, false)) return refuse("a relocation of its text");
      CpuObject::Relocation relocation;
      relocation.at = entry->r_offset;
      const auto addend = static_cast<std::uint64_t>(entry->r_addend);
      switch (ELF64_R_TYPE(entry->r_info)) {
        case R_X86_64_RELATIVE:
          relocation.value = addend;
          break;
        case R_X86_64_64:
        case R_X86_64_GLOB_DAT:
        case R_X86_64_JUMP_SLOT: {
          TRY(relocation, against_symbol(ELF64_R_SYM(entry->r_info), addend));
          relocation.at = entry->r_offset;
          break;
        }
        default:
          return refuse("a relocation of type " + std::to_string(ELF64_R_TYPE(entry->r_info)));
      }
      if (relocation.kind == CpuObject::Relocation::Kind::kImage &&
          relocation.value > object_.span) {
        return refuse("a relocation beyond the image");
      }
      object_.relocations.push_back(relocation);
    }
    return ok();
  }

  Result<CpuObject::Relocation> against_symbol(std::uint64_t index, std::uint64_t addend) {
    CpuObject::Relocation relocation;
    const auto symbol = in_image<Elf64_Sym>(dynamic_.symbols + index * sizeof(Elf64_Sym));
    const auto strings = in_file(dynamic_.strings);
    if (index > 1'000'000 || !symbol || !strings) return refuse("cut short");
    const auto name = file_.text(*strings + symbol->st_name);
    if (!name) return refuse("a symbol without a name");
    relocation.value = addend;
    if (symbol->st_shndx != SHN_UNDEF) {
      relocation.value += symbol->st_value;
    } else if (*name == "kvgen_cpu_dynamic_lds") {
      relocation.kind = CpuObject::Relocation::Kind::kDynamicLds;
    } else {
      void* const address = import_address(*name);
      if (address == nullptr) return refuse("it needs " + std::string(*name));
      relocation.kind = CpuObject::Relocation::Kind::kAbsolute;
      relocation.value += reinterpret_cast<std::uint64_t>(address);
    }
    return relocation;
  }

  // The pointers of kvgen_cpu_object are relocations; a null one has none.
  Result<void> read_info() {
    const auto info = in_image<kvgen_cpu_object_info>(info_);
    if (info_ == 0 || !info || info->magic != KVGEN_CPU_MAGIC) return refuse("no kvgen_cpu_object");
    if (info->abi != KVGEN_CPU_ABI_VERSION) {
      return refuse("made for version " + std::to_string(info->abi) + " of the interface, not " +
                    std::to_string(KVGEN_CPU_ABI_VERSION));
    }
    object_.isa = info->isa;
    for (const auto& relocation : object_.relocations) {
      if (relocation.kind != CpuObject::Relocation::Kind::kImage) continue;
      const std::uint64_t field = relocation.at - info_;
      if (field == offsetof(kvgen_cpu_object_info, context)) object_.context = relocation.value;
      if (field == offsetof(kvgen_cpu_object_info, lds_begin)) object_.lds_begin = relocation.value;
      if (field == offsetof(kvgen_cpu_object_info, lds_end)) object_.lds_end = relocation.value;
    }
    if (!inside(object_.context, sizeof(kvgen_cpu_context), true, false)) {
      return refuse("no context");
    }
    const std::uint64_t lds = object_.lds_end - object_.lds_begin;
    if (object_.lds_end < object_.lds_begin ||
        (lds != 0 && !inside(object_.lds_begin, lds, true, false))) {
      return refuse("LDS outside the image");
    }
    return ok();
  }

  CpuObject& object_;
  Bytes file_;
  Dynamic dynamic_;
  std::uint64_t dynamic_at_ = 0;
  std::uint64_t dynamic_bytes_ = 0;
  std::uint64_t info_ = 0;
};

std::uint64_t find(const CpuObject& object, std::string_view prefix, std::string_view symbol) {
  const auto at = object.functions.find(std::string(prefix).append(symbol));
  return at == object.functions.end() ? 0 : at->second;
}

}  // namespace

std::uint64_t CpuObject::entry(std::string_view symbol) const {
  return find(*this, KVGEN_CPU_ENTRY_PREFIX, symbol);
}

std::uint64_t CpuObject::loop(std::string_view symbol) const {
  return find(*this, KVGEN_CPU_LOOP_PREFIX, symbol);
}

Result<CpuObject> read_cpu_object(std::string bytes) {
  if (bytes.size() > kBytesLimit) return refuse("larger than 64 MiB");
  CpuObject object;
  object.bytes = std::move(bytes);
  TRY_VOID(Reader(object).read());
  return object;
}

unsigned machine_isa() {
  if (__builtin_cpu_supports("x86-64-v4")) return KVGEN_CPU_ISA_V4;
  if (__builtin_cpu_supports("x86-64-v3")) return KVGEN_CPU_ISA_V3;
  return KVGEN_CPU_ISA_V2;
}

}  // namespace kvgen
