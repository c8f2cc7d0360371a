#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kvgen/base/result.h"

namespace kvgen {

// One frame with its size and checksum: equal bytes for equal text, level and library.
Result<std::string> zstd_pack(std::string_view text, int level);

// kInvalid when the bytes are damaged, end inside a frame, or unpack to more than `limit`.
Result<std::string> zstd_unpack(std::string_view bytes, std::uint64_t limit);

}  // namespace kvgen
