#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kvgen/model/build.h"

namespace kvgen {

// AMD's code object manager, the library that hiprtc compiles with: its disassembler, as far as it
// is used (amd_comgr.h; the same since 1.8).
class Comgr {
 public:
  // libamd_comgr.so.3 or .2 in these folders, then in the loader's path; none when there is none.
  static std::optional<Comgr> open(const std::vector<std::filesystem::path>& folders);

  // Fills the instruction mix of each kernel's facts from a code object for an architecture. What
  // it cannot decode, or find, is left without a mix.
  void count_instructions(const std::string& arch, std::string_view object,
                          std::vector<KernelInfo>& kernels) const;

 private:
  struct Info {
    std::uint64_t handle;
  };
  struct Calls {
    int (*create)(const char* isa,
                  std::uint64_t (*read)(std::uint64_t from, char* to, std::uint64_t size,
                                        void* user),
                  void (*print)(const char* instruction, void* user),
                  void (*annotate)(std::uint64_t address, void* user), Info* info) = nullptr;
    int (*destroy)(Info) = nullptr;
    int (*decode)(Info, std::uint64_t address, void* user, std::uint64_t* size) = nullptr;
  };
  explicit Comgr(const Calls& calls) : calls_(calls) {}

  Calls calls_;
};

// A function's machine code in an ELF object of 64 bits; empty when it holds none of that name.
std::string_view function_code(std::string_view object, std::string_view symbol);

}  // namespace kvgen
