#pragma once

#include <cstdint>

namespace kvgen::referee {

// SplitMix64's finaliser: a hash of 64 bits to 64 bits. With a counter, a stream
// that any thread can enter anywhere.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

struct SignedPair {
  double first;
  double second;
};

// Two numbers uniform in [-1, -1/2) and [1/2, 1), the index-th of the stream `key`. None is near
// zero: among millions of elements, some would draw next to nothing in every run.
constexpr SignedPair signed_pair(std::uint64_t key, std::uint64_t index) {
  const std::uint64_t bits = mix(key + index);
  constexpr auto signed_number = [](std::uint32_t word) {
    const double size = 0.5 + static_cast<double>(word >> 1) * 0x1p-32;
    return (word & 1) != 0 ? -size : size;
  };
  return {signed_number(static_cast<std::uint32_t>(bits)),
          signed_number(static_cast<std::uint32_t>(bits >> 32))};
}

}  // namespace kvgen::referee
