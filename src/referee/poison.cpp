#include "referee/poison.h"

#include <cstring>

#include "referee/random.h"

namespace kvgen::referee {
namespace {

struct FloatForm {
  int exponent_bits;
  int mantissa_bits;
};

std::optional<FloatForm> form(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return FloatForm{5, 10};
    case DType::kBFloat16:
      return FloatForm{8, 7};
    case DType::kFloat32:
      return FloatForm{8, 23};
    case DType::kFloat64:
      return FloatForm{11, 52};
    default:
      return std::nullopt;
  }
}

std::uint64_t guard_key(std::uint64_t seed, std::size_t tensor) {
  return mix(mix(seed ^ 0x6775617264ULL) + tensor);
}

std::byte guard_byte(std::uint64_t key, std::size_t position) {
  return static_cast<std::byte>(mix(key + position / 8) >> (position % 8 * 8));
}

// Calls visit(position in the region, distance) for each guard byte.
template <class Visit>
void each_guard_byte(const ArenaTensor& tensor, Visit visit) {
  const std::int64_t begin = tensor.data_offset - tensor.region_offset;
  const std::int64_t end = begin + tensor.data_bytes;
  for (std::int64_t i = 0; i < begin; ++i) visit(static_cast<std::size_t>(i), i - begin);
  for (std::int64_t i = end; i < tensor.region_bytes; ++i) {
    visit(static_cast<std::size_t>(i), i - end + 1);
  }
}

}  // namespace

Poison::Poison(std::uint64_t seed, std::size_t tensor)
    : key_(mix(mix(seed ^ 0x706F69736F6EULL) + tensor)) {}

std::uint64_t Poison::bits(DType dtype, std::uint64_t element) const {
  const std::uint64_t random = mix(key_ + element);
  if (dtype == DType::kBool) return 2 + random % 254;
  const auto parts = form(dtype);
  if (!parts) return random;
  const std::uint64_t top = (1ULL << parts->exponent_bits) - 1;
  const std::uint64_t mantissa = random & ((1ULL << parts->mantissa_bits) - 1);
  const std::uint64_t sign = random >> 63;
  const bool nan = (random >> 62 & 1) != 0;
  // The quiet bit, so that a copy keeps the payload; or one of the largest exponents.
  const std::uint64_t quiet = 1ULL << (parts->mantissa_bits - 1);
  const std::uint64_t exponent = nan ? top : top - 1 - (random >> 60 & 1);
  return sign << (parts->exponent_bits + parts->mantissa_bits) | exponent << parts->mantissa_bits |
         mantissa | (nan ? quiet : 0);
}

void Poison::fill(DType dtype, std::span<std::byte> data) const {
  const auto width = static_cast<std::size_t>(size_of(dtype));
  for (std::size_t i = 0; i < data.size() / width; ++i) {
    const std::uint64_t value = bits(dtype, i);
    std::memcpy(data.data() + i * width, &value, width);
  }
}

bool Poison::untouched(DType dtype, std::span<const std::byte> data, std::int64_t element) const {
  const auto width = static_cast<std::size_t>(size_of(dtype));
  const std::uint64_t value = bits(dtype, static_cast<std::uint64_t>(element));
  return std::memcmp(data.data() + static_cast<std::size_t>(element) * width, &value, width) == 0;
}

void fill_guards(const Arena& arena, std::uint64_t seed) {
  for (std::size_t t = 0; t < arena.layout().tensors.size(); ++t) {
    const ArenaTensor& tensor = arena.layout().tensors[t];
    const auto region = arena.region(tensor);
    const std::uint64_t key = guard_key(seed, t);
    each_guard_byte(tensor, [&](std::size_t i, std::int64_t) { region[i] = guard_byte(key, i); });
  }
}

std::optional<BrokenGuard> broken_guard(const Arena& arena, std::uint64_t seed) {
  for (std::size_t t = 0; t < arena.layout().tensors.size(); ++t) {
    const ArenaTensor& tensor = arena.layout().tensors[t];
    const auto region = arena.region(tensor);
    const std::uint64_t key = guard_key(seed, t);
    BrokenGuard broken{t};
    each_guard_byte(tensor, [&](std::size_t i, std::int64_t distance) {
      if (region[i] == guard_byte(key, i)) return;
      if (broken.count++ == 0) broken.bytes_past_end = distance;
    });
    if (broken.count > 0) return broken;
  }
  return std::nullopt;
}

}  // namespace kvgen::referee
