#include "compile/facts.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include "kvgen/base/json.h"

namespace kvgen {
namespace {

Error no_facts(const std::string& why) {
  return {Code::kInternal, "the code object's metadata: " + why};
}

Result<Json> metadata_of(std::string_view object) {
  const llvm::StringRef bytes(object.data(), object.size());
  auto file = llvm::object::ELF64LEFile::create(bytes);
  if (!file) return no_facts(llvm::toString(file.takeError()));
  auto sections = file->sections();
  if (!sections) return no_facts(llvm::toString(sections.takeError()));
  for (const auto& section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_NOTE) continue;
    llvm::Error bad = llvm::Error::success();
    Json found = nullptr;
    for (const auto& note : file->notes(section, bad)) {
      if (note.getName() != "AMDGPU" || note.getType() != llvm::ELF::NT_AMDGPU_METADATA) continue;
      const auto text = note.getDesc(section.sh_addralign);
      found = Json::from_msgpack(text.begin(), text.end(), true, false);
    }
    if (bad) return no_facts(llvm::toString(std::move(bad)));
    if (found.is_object()) return found;
  }
  return no_facts("no AMDGPU note");
}

}  // namespace

Result<void> read_amd_facts(std::string_view object, std::vector<KernelInfo>& kernels) {
  TRY(const Json metadata, metadata_of(object));
  Fields whole(metadata, "metadata");
  const Json& described = whole.array("amdhsa.kernels");
  TRY_VOID(whole.finish_allowing_unknown());
  for (KernelInfo& kernel : kernels) {
    for (const Json& item : described) {
      Fields fields(item, "metadata.kernel");
      if (fields.get<std::string>(".name") != kernel.symbol) continue;
      KernelFacts facts;
      facts.vgprs = fields.get<int>(".vgpr_count");
      facts.agprs = fields.get_or<int>(".agpr_count", 0);
      facts.sgprs = fields.get<int>(".sgpr_count");
      facts.vgpr_spills = fields.get<int>(".vgpr_spill_count");
      facts.sgpr_spills = fields.get<int>(".sgpr_spill_count");
      facts.lds_bytes = fields.get<int>(".group_segment_fixed_size");
      facts.scratch_bytes = fields.get<int>(".private_segment_fixed_size");
      facts.wave_size = fields.get<int>(".wavefront_size");
      facts.max_workgroup = fields.get<int>(".max_flat_workgroup_size");
      facts.kernarg_bytes = fields.get<int>(".kernarg_segment_size");
      facts.dynamic_stack = fields.get_or<bool>(".uses_dynamic_stack", false);
      TRY_VOID(fields.finish_allowing_unknown());
      kernel.static_lds = facts.lds_bytes;
      kernel.facts = facts;
    }
    if (!kernel.facts) return no_facts("nothing about kernel " + kernel.symbol);
  }
  return ok();
}

}  // namespace kvgen
