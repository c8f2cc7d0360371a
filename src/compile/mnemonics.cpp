#include "compile/mnemonics.h"

#include <algorithm>
#include <iterator>

namespace kvgen {
namespace {

// What executes an instruction, by its mnemonic's beginning; the first that fits.
struct Class {
  std::string_view prefix;
  int InstructionMix::* count;
};
constexpr Class kClasses[] = {
    {"v_mfma", &InstructionMix::mfma},
    {"v_smfmac", &InstructionMix::mfma},
    {"v_wmma", &InstructionMix::mfma},
    {"v_swmmac", &InstructionMix::mfma},
    {"v_nop", &InstructionMix::other},
    {"v_", &InstructionMix::valu},
    {"s_wait", &InstructionMix::waitcnt},
    {"s_branch", &InstructionMix::branch},
    {"s_cbranch", &InstructionMix::branch},
    {"s_setpc", &InstructionMix::branch},
    {"s_swappc", &InstructionMix::branch},
    {"s_call", &InstructionMix::branch},
    {"s_load", &InstructionMix::smem},
    {"s_buffer_load", &InstructionMix::smem},
    {"s_scratch", &InstructionMix::smem},
    {"s_store", &InstructionMix::smem},
    {"s_dcache", &InstructionMix::smem},
    {"s_memtime", &InstructionMix::smem},
    {"s_memrealtime", &InstructionMix::smem},
    {"s_nop", &InstructionMix::other},
    {"s_endpgm", &InstructionMix::other},
    {"s_barrier", &InstructionMix::other},
    {"s_sleep", &InstructionMix::other},
    {"s_setprio", &InstructionMix::other},
    {"s_sendmsg", &InstructionMix::other},
    {"s_trap", &InstructionMix::other},
    {"s_clause", &InstructionMix::other},
    {"s_delay_alu", &InstructionMix::other},
    {"s_code_end", &InstructionMix::other},
    {"s_", &InstructionMix::salu},
    {"ds_", &InstructionMix::lds},
    {"global_", &InstructionMix::vmem},
    {"flat_", &InstructionMix::vmem},
    {"buffer_", &InstructionMix::vmem},
    {"scratch_", &InstructionMix::vmem},
    {"tbuffer_", &InstructionMix::vmem},
    {"image_", &InstructionMix::vmem},
};

}  // namespace

void count_mnemonic(std::string_view mnemonic, InstructionMix& mix) {
  const auto* found = std::find_if(std::begin(kClasses), std::end(kClasses), [&](const Class& one) {
    return mnemonic.starts_with(one.prefix);
  });
  ++(mix.*(found == std::end(kClasses) ? &InstructionMix::other : found->count));
}

}  // namespace kvgen
