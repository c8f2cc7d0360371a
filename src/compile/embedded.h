#pragma once

#include <vector>

#include "kvgen/compile/prelude.h"

namespace kvgen {

// Written at build time by embed.cmake.
std::vector<VirtualFile> embedded_files();

}  // namespace kvgen
