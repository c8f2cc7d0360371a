#pragma once

#include <string_view>

namespace kvgen {

// Places of the in-memory file system. Diagnostics show the base name only.
inline constexpr std::string_view kUnitFile = "/kvgen/unit.hip";
inline constexpr std::string_view kCandidateFile = "/kvgen/kernel.hip";
inline constexpr std::string_view kPreludeSource = "/kvgen/prelude.hip";
inline constexpr std::string_view kPreludePch = "/kvgen/prelude.pch";
inline constexpr std::string_view kHeaderFolder = "/kvgen/include/";

// The pragma of unit.hip that instantiates the plan's kernels.
inline constexpr std::string_view kInstantiatePragma = "kvgen_instantiate";
// The variable that holds kernel number i.
inline constexpr std::string_view kKernelVariable = "__kvgen_kernel_";

}  // namespace kvgen
