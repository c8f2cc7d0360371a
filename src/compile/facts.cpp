#include "compile/facts.h"

#include <elf.h>

#include <cstdint>
#include <cstring>

#include "compile/bytes.h"
#include "kvgen/base/json.h"
#include "kvgen/plan/occupancy.h"

namespace kvgen {
namespace {

Error no_facts(const std::string& why) {
  return {Code::kInternal, "the code object's metadata: " + why};
}

constexpr std::uint32_t kMetadataNote = 32;  // NT_AMDGPU_METADATA

std::uint64_t padded(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

// The description of the metadata note in a segment of notes; empty when there is none.
std::string_view note_in(std::string_view notes) {
  Elf64_Nhdr header;
  for (std::uint64_t at = 0; read_at(notes, at, header);) {
    const std::uint64_t name = at + sizeof header;
    const std::uint64_t text = name + padded(header.n_namesz);
    if (header.n_type == kMetadataNote && piece(notes, name, 6) == "AMDGPU") {
      return piece(notes, text, header.n_descsz);
    }
    at = text + padded(header.n_descsz);
  }
  return {};
}

Result<Json> metadata_of(std::string_view object) {
  Elf64_Ehdr header;
  if (!read_at(object, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return no_facts("it is no ELF file");
  }
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const std::uint64_t at = header.e_phoff + static_cast<std::uint64_t>(i) * sizeof segment;
    if (!read_at(object, at, segment)) break;
    if (segment.p_type != PT_NOTE) continue;
    const std::string_view text = note_in(piece(object, segment.p_offset, segment.p_filesz));
    Json found = Json::from_msgpack(text.begin(), text.end(), true, false);
    if (found.is_object()) return found;
  }
  return no_facts("no AMDGPU note");
}

}  // namespace

Result<void> read_amd_facts(const std::string& arch, std::string_view object,
                            std::vector<KernelInfo>& kernels) {
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
      facts.occupancy = occupancy_of(arch, facts, facts.max_workgroup, 0);
      kernel.static_lds = facts.lds_bytes;
      kernel.facts = facts;
    }
    if (!kernel.facts) return no_facts("nothing about kernel " + kernel.symbol);
  }
  return ok();
}

}  // namespace kvgen
