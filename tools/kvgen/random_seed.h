#pragma once

#include <cstdint>
#include <random>

namespace kvgen::tools {

// Nobody who writes candidates can know it.
inline std::uint64_t random_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 31U) ^ device();
}

}  // namespace kvgen::tools
