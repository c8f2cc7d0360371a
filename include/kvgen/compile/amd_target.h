#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kvgen/base/files.h"
#include "kvgen/compile/target.h"

namespace kvgen {

// Architectures the engine makes code objects for.
const std::vector<std::string>& amd_architectures();

// Where ROCm's device libraries are usually installed; the first that exists is used.
std::vector<std::filesystem::path> device_library_folders();

// A target for one of amd_architectures(). Reads the device libraries now, so that no
// file is needed later; kMissing says how to install them.
Result<std::unique_ptr<CompileTarget>> amd_target(
    const std::string& arch, Files& files, const std::vector<std::filesystem::path>& folders);

}  // namespace kvgen
