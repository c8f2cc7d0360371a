#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kvgen/base/json.h"

namespace kvgen {

// Lower-case hexadecimal SHA-256, 64 characters.
std::string sha256(std::string_view bytes);

// SHA-256 of the value's canonical text (sorted keys, no white space).
std::string sha256_of(const Json& value);

// The first 16 hexadecimal characters: what people see and type.
std::string short_id(std::string_view hash);

// A 64-bit seed drawn from SHA-256 of the text: the same text, the same seed.
std::uint64_t seed_from(std::string_view text);

}  // namespace kvgen
