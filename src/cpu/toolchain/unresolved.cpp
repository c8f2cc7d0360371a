#include "cpu/toolchain/unresolved.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>

namespace kvgen {
namespace {

Error not_an_object(llvm::Error error) {
  return {Code::kInternal, "the linked object: " + llvm::toString(std::move(error))};
}

}  // namespace

Result<std::vector<std::string>> unresolved_in(std::string_view object) {
  auto file = llvm::object::ELF64LEFile::create(llvm::StringRef(object.data(), object.size()));
  if (!file) return not_an_object(file.takeError());
  auto sections = file->sections();
  if (!sections) return not_an_object(sections.takeError());
  std::vector<std::string> names;
  for (const auto& section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_DYNSYM) continue;
    auto symbols = file->symbols(&section);
    if (!symbols) return not_an_object(symbols.takeError());
    auto strings = file->getStringTableForSymtab(section);
    if (!strings) return not_an_object(strings.takeError());
    for (const auto& symbol : *symbols) {
      if (symbol.st_shndx != llvm::ELF::SHN_UNDEF || symbol.st_name == 0) continue;
      auto name = symbol.getName(*strings);
      if (!name) return not_an_object(name.takeError());
      names.push_back(name->str());
    }
  }
  return names;
}

}  // namespace kvgen
