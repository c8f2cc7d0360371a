#pragma once

#include <string_view>

#include "kvgen/model/build.h"

namespace kvgen {

// Counts an AMD instruction by what executes it, told by its mnemonic's beginning ("v_add_f32_e32"
// and "v_add_f32" alike).
void count_mnemonic(std::string_view mnemonic, InstructionMix& mix);

}  // namespace kvgen
