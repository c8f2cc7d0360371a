#pragma once

#include <cstdint>
#include <memory>

#include "kvgen/base/files.h"
#include "kvgen/stage/generator.h"

namespace kvgen {

// Replies read from files, one a turn: DIR/TASK.md for a single turn, or
// DIR/TASK/0.md, 1.md, ... in numerical order. A file larger than the limit, or
// one that does not exist, is `no_candidate`; one that cannot be read is an Error.
inline constexpr std::uint64_t kLargestReplyFile = 8UL << 20;

std::unique_ptr<Generator> make_replay(fs::path folder, Files& files);

}  // namespace kvgen
