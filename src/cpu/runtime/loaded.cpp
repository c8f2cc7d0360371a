#include "cpu/runtime/loaded.h"

#include <sys/mman.h>

#include <cstring>

namespace kvgen {

Result<LoadedObject> LoadedObject::load(const CpuObject& object) {
  LoadedObject loaded;
  TRY(loaded.image_, Mapping::reserve(object.span));
  char* const base = loaded.image_.data();
  for (const auto& segment : object.segments) {
    const std::uint64_t from = segment.address / kPageBytes * kPageBytes;
    const std::uint64_t bytes = segment.address + segment.memory_bytes - from;
    TRY_VOID(loaded.image_.open(from, bytes));
    std::memcpy(base + segment.address, object.bytes.data() + segment.file_offset,
                segment.file_bytes);
  }
  using Kind = CpuObject::Relocation::Kind;
  for (const auto& relocation : object.relocations) {
    char* value = nullptr;
    switch (relocation.kind) {
      case Kind::kImage:
        value = base + relocation.value;
        break;
      case Kind::kAbsolute:
        value = reinterpret_cast<char*>(relocation.value);
        break;
      case Kind::kDynamicLds:
        loaded.dynamic_lds_.push_back(
            {reinterpret_cast<char**>(base + relocation.at), relocation.value});
        break;
    }
    std::memcpy(base + relocation.at, &value, sizeof value);
  }
  for (const auto& segment : object.segments) {
    if (segment.writable) continue;
    const std::uint64_t from = segment.address / kPageBytes * kPageBytes;
    const std::uint64_t bytes = segment.address + segment.memory_bytes - from;
    TRY_VOID(
        loaded.image_.protect(from, bytes, segment.executable ? PROT_READ | PROT_EXEC : PROT_READ));
  }
  loaded.context_ = reinterpret_cast<kvgen_cpu_context*>(base + object.context);
  loaded.static_lds_ = {base + object.lds_begin, object.static_lds()};
  return loaded;
}

void LoadedObject::set_dynamic_lds(char* address) {
  for (const Slot& slot : dynamic_lds_) *slot.at = address + slot.addend;
}

KernelFunction LoadedObject::function(std::uint64_t offset) const {
  return offset == 0 ? nullptr : reinterpret_cast<KernelFunction>(image_.data() + offset);
}

}  // namespace kvgen
