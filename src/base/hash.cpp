#include "kvgen/base/hash.h"

#include <openssl/sha.h>

#include <array>

namespace kvgen {
namespace {

std::array<unsigned char, SHA256_DIGEST_LENGTH> digest(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> out{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out.data());
  return out;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(64);
  for (const unsigned char byte : digest(bytes)) {
    text.push_back(kDigits[byte >> 4U]);
    text.push_back(kDigits[byte & 15U]);
  }
  return text;
}

std::string sha256_of(const Json& value) { return sha256(to_line(value)); }

std::string short_id(std::string_view hash) { return std::string(hash.substr(0, 16)); }

std::uint64_t seed_from(std::string_view text) {
  const auto bytes = digest(text);
  std::uint64_t seed = 0;
  for (int i = 0; i < 8; ++i) seed = (seed << 8U) | bytes[static_cast<std::size_t>(i)];
  return seed;
}

}  // namespace kvgen
