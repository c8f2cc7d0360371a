#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kvgen {

// A file that only the compiler's in-memory file system knows.
struct VirtualFile {
  std::string name;  // as an #include names it: "hip/hip_runtime.h"
  std::string text;
};

// The header that every candidate finds already included.
inline constexpr std::string_view kPreludeEntry = "kvgen_hip.h";

// Our headers and the usual names that stand for them, embedded at build time.
std::span<const VirtualFile> prelude_files();

// SHA-256 over names and texts.
const std::string& prelude_hash();

}  // namespace kvgen
