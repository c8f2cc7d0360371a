#pragma once

#include <malloc.h>

namespace kvgen::tools {

// A worker forks a child for each request and outlives tens of thousands of them. Requests of
// megabytes are given back to the system at once, instead of being kept in a heap that each child
// would share and that never shrinks: glibc raises its own threshold as it sees such requests.
inline void keep_heap_lean() {
  ::mallopt(M_MMAP_THRESHOLD, 256 << 10);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

}  // namespace kvgen::tools
