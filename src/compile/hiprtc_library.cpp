#include "compile/hiprtc_library.h"

#include <dlfcn.h>
#include <link.h>

#include <charconv>
#include <system_error>

#include "compile/shared_library.h"

namespace kvgen {
namespace {

constexpr const char* kNames[] = {"libhiprtc.so.7",   "libhiprtc.so.6",   "libhiprtc.so.5",
                                  "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};

bool find_all(void* library, HiprtcCalls& calls) {
  return find_function(library, "hiprtcCreateProgram", calls.create) &&
         find_function(library, "hiprtcCompileProgram", calls.compile) &&
         find_function(library, "hiprtcDestroyProgram", calls.destroy) &&
         find_function(library, "hiprtcAddNameExpression", calls.add_name) &&
         find_function(library, "hiprtcGetLoweredName", calls.lowered_name) &&
         find_function(library, "hiprtcGetProgramLogSize", calls.log_size) &&
         find_function(library, "hiprtcGetProgramLog", calls.log) &&
         find_function(library, "hiprtcGetCodeSize", calls.code_size) &&
         find_function(library, "hiprtcGetCode", calls.code);
}

std::filesystem::path file_of(void* library) {
  link_map* map = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
  std::error_code ignored;
  return std::filesystem::canonical(map->l_name, ignored);
}

struct Row {
  const char* architecture;
  int major;
  int minor;
};
constexpr Row kSince[] = {{"gfx908", 5, 0},  {"gfx90a", 5, 0},  {"gfx1030", 5, 0},
                          {"gfx942", 6, 0},  {"gfx1100", 6, 0}, {"gfx1200", 6, 4},
                          {"gfx1201", 6, 4}, {"gfx950", 7, 0}};

}  // namespace

Result<HiprtcVersion> hiprtc_version_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const auto at = name.find(".so.");
  HiprtcVersion version;
  if (at != std::string::npos) {
    version.text = name.substr(at + 4);
    const char* begin = version.text.data();
    const char* end = begin + version.text.size();
    const auto major = std::from_chars(begin, end, version.major);
    if (major.ec == std::errc() && major.ptr != end && *major.ptr == '.') {
      const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
      if (minor.ec == std::errc()) return version;
    }
  }
  return Error(Code::kInvalid, "the file name \"" + name + "\" does not tell hiprtc's version");
}

std::vector<std::string> hiprtc_architectures(const HiprtcVersion& version) {
  std::vector<std::string> known;
  for (const Row& row : kSince) {
    const bool has =
        version.major > row.major || (version.major == row.major && version.minor >= row.minor);
    if (has) known.emplace_back(row.architecture);
  }
  return known;
}

Result<HiprtcLibrary> HiprtcLibrary::open(const std::vector<std::filesystem::path>& folders) {
  HiprtcLibrary opened;
  // From 5.5 libamdhip64 holds no hiprtc.
  const auto take = [&](void* library) { return find_all(library, opened.calls); };
  if (void* library = open_library(kNames, folders, take)) {
    TRY(opened.version, hiprtc_version_of(file_of(library)));
    return opened;
  }
  return Error(Code::kMissing,
               "no hiprtc: looked for libhiprtc.so.7, .6, .5 and libamdhip64.so.7, .6, .5 in the "
               "loader's path and in ROCm's folder; install ROCm, or hipcc's libamdhip64 and "
               "libhiprtc-builtins; without it Clang alone decides");
}

}  // namespace kvgen
