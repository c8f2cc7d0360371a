#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cpu/runtime/memory.h"
#include "kvgen/base/result.h"
#include "kvgen/cpu/abi.h"
#include "kvgen/cpu/object.h"

namespace kvgen {

using KernelFunction = void (*)(const kvgen_cpu_slot*);

// One copy of an object in memory, with globals and LDS of its own. Loading runs
// nothing of the object.
class LoadedObject {
 public:
  static Result<LoadedObject> load(const CpuObject& object);

  [[nodiscard]] kvgen_cpu_context& context() const { return *context_; }
  [[nodiscard]] std::span<char> static_lds() const { return static_lds_; }
  void set_dynamic_lds(char* address);

  // A function's offset in the image (CpuObject::entry); null for 0.
  [[nodiscard]] KernelFunction function(std::uint64_t offset) const;
  [[nodiscard]] const Mapping& image() const { return image_; }

 private:
  struct Slot {
    char** at;
    std::uint64_t addend;
  };

  Mapping image_;
  kvgen_cpu_context* context_ = nullptr;
  std::span<char> static_lds_;
  std::vector<Slot> dynamic_lds_;
};

}  // namespace kvgen
