#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kvgen/model/dtype.h"
#include "kvgen/worker/arena.h"

namespace kvgen::referee {

// What outputs hold before a candidate runs: for each element a NaN or a huge
// finite number, drawn from the seed, so that neither reading before writing nor
// leaving an element out can look right, nor be foreseen.
class Poison {
 public:
  // `tensor`: its index in the arena.
  Poison(std::uint64_t seed, std::size_t tensor);

  void fill(DType dtype, std::span<std::byte> data) const;
  // Whether the element still holds what fill() put there.
  [[nodiscard]] bool untouched(DType dtype, std::span<const std::byte> data,
                               std::int64_t element) const;

 private:
  [[nodiscard]] std::uint64_t bits(DType dtype, std::uint64_t element) const;
  std::uint64_t key_;
};

// Fills the bytes of every tensor's region around its data.
void fill_guards(const Arena& arena, std::uint64_t seed);

struct BrokenGuard {
  std::size_t tensor = 0;
  std::int64_t bytes_past_end = 0;  // > 0: after the data; < 0: before its start
  std::int64_t count = 0;           // of changed bytes
};

// The first tensor whose guard bytes are not what fill_guards wrote.
std::optional<BrokenGuard> broken_guard(const Arena& arena, std::uint64_t seed);

}  // namespace kvgen::referee
