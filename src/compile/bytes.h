#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace kvgen {

// A value at an offset, when the bytes hold one there.
template <class T>
bool read_at(std::string_view bytes, std::uint64_t offset, T& value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

// Bytes of bytes; empty when they do not hold them all.
inline std::string_view piece(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.substr(offset, size);
}

}  // namespace kvgen
