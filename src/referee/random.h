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

// Two numbers uniform in [-1, 1), the index-th of the stream `key`.
constexpr SignedPair signed_pair(std::uint64_t key, std::uint64_t index) {
  const std::uint64_t bits = mix(key + index);
  constexpr double kScale = 0x1p-31;
  return {static_cast<double>(static_cast<std::int32_t>(bits)) * kScale,
          static_cast<double>(static_cast<std::int32_t>(bits >> 32)) * kScale};
}

}  // namespace kvgen::referee
