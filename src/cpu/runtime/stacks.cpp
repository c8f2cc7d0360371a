#include "cpu/runtime/stacks.h"

namespace kvgen {

Result<Stacks> Stacks::reserve(unsigned count) {
  Stacks stacks;
  TRY(stacks.memory_, Mapping::reserve(count * kPitch + kPageBytes));
  return stacks;
}

char* Stacks::top(unsigned index) {
  for (; opened_ <= index; ++opened_) {
    if (!memory_.open(opened_ * kPitch + kPageBytes, kBytes).ok()) return nullptr;
  }
  constexpr std::size_t kStagger = 192;
  return memory_.data() + (index + 1) * kPitch - (index * kStagger) % kPageBytes;
}

}  // namespace kvgen
