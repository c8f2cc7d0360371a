#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "kvgen/base/result.h"

namespace kvgen {

inline constexpr std::size_t kPageBytes = 4096;

// Owns a range of addresses; starts without access and without memory.
class Mapping {
 public:
  Mapping() = default;
  static Result<Mapping> reserve(std::size_t bytes);

  Mapping(Mapping&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  // Private zeroed memory, readable and writable, for whole pages from `offset`.
  Result<void> open(std::size_t offset, std::size_t bytes);
  // PROT_* of whole pages.
  Result<void> protect(std::size_t offset, std::size_t bytes, int protection);

  [[nodiscard]] char* data() const { return base_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] bool holds(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto from = reinterpret_cast<std::uintptr_t>(base_);
    return at >= from && at - from < bytes_;
  }

 private:
  char* base_ = nullptr;
  std::size_t bytes_ = 0;
};

inline std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

}  // namespace kvgen
