#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "kvgen/base/result.h"

namespace kvgen {

// hiprtc's C interface, as far as it is used (HIP's hip/hiprtc.h; the same since 4.2).
struct HiprtcCalls {
  using Program = void*;
  int (*create)(Program*, const char* source, const char* name, int headers, const char** texts,
                const char** names) = nullptr;
  int (*compile)(Program, int options, const char** texts) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*add_name)(Program, const char* expression) = nullptr;
  int (*lowered_name)(Program, const char* expression, const char** name) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*code_size)(Program, std::size_t*) = nullptr;
  int (*code)(Program, char*) = nullptr;
};

struct HiprtcVersion {
  int major = 0;
  int minor = 0;
  std::string text;  // "5.2.21153", "7.0.70001"
};

// A hiprtc of this machine, opened for the life of the process.
struct HiprtcLibrary {
  HiprtcCalls calls;
  HiprtcVersion version;

  // The first of libhiprtc.so.N and libamdhip64.so.N (which holds hiprtc up to 5.4), newest
  // first, in these folders, then in the loader's path. kMissing says what was looked for.
  static Result<HiprtcLibrary> open(const std::vector<std::filesystem::path>& folders);
};

// The version in a library's file name: "libamdhip64.so.5.2.21153" is 5.2. hiprtcVersion says 9.0
// in every release before 6.
Result<HiprtcVersion> hiprtc_version_of(const std::filesystem::path& file);

// Architectures that hiprtc of this version makes code for: an unknown one aborts the process.
//
// 5.x: Debian 12's 5.2.3, where gfx942 and gfx1100 were seen to abort. 6 and 7 from general
// knowledge of the releases, not run: a known-good kernel is tried before an architecture is used.
std::vector<std::string> hiprtc_architectures(const HiprtcVersion& version);

}  // namespace kvgen
