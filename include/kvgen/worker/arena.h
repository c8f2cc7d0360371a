#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kvgen/base/fd.h"
#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/model/tensor.h"

namespace kvgen {

inline constexpr std::int64_t kArenaPage = 4096;
inline constexpr std::int64_t kArenaAlignment = 16;

// One tensor's place in an arena. A tensor owns a region of whole pages; its
// data ends within 16 bytes of the region's end, so that a page without access
// mapped behind it catches the first element past the end. The bytes of the
// region around the data are guards.
struct ArenaTensor {
  TensorSpec spec;
  std::int64_t region_offset = 0;  // from the arena's start, whole pages
  std::int64_t region_bytes = 0;   // whole pages, at least one
  std::int64_t data_offset = 0;    // from the arena's start, multiple of 16
  std::int64_t data_bytes = 0;
};

struct ArenaLayout {
  std::vector<ArenaTensor> tensors;
  std::int64_t bytes = 0;
};

// kFull when the tensors need more than `limit` bytes.
Result<ArenaLayout> lay_out(const std::vector<TensorSpec>& specs, std::int64_t limit);

Json to_json(const ArenaLayout& layout);
// Checks that regions lie in order inside the arena and hold their data.
Result<ArenaLayout> arena_layout_from(const Json& json, const std::string& where);

// Memory of a memfd, mapped here.
class Arena {
 public:
  // A new memfd of the layout's size, zeroed, mapped for writing.
  static Result<Arena> create(const std::string& name, ArenaLayout layout);
  // One received from another process: its seals and size are checked first, so
  // that it can neither shrink under us nor be larger than told.
  static Result<Arena> open(SharedFd fd, ArenaLayout layout, bool writable);

  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // Seals SHRINK|GROW (and further seals); with `freeze` also FUTURE_WRITE:
  // nobody can map it for writing any more, this mapping stays writable.
  Result<void> seal(bool freeze);

  [[nodiscard]] const ArenaLayout& layout() const { return layout_; }
  [[nodiscard]] const SharedFd& fd() const { return fd_; }
  [[nodiscard]] std::span<std::byte> region(const ArenaTensor& tensor) const;
  [[nodiscard]] std::span<std::byte> data(const ArenaTensor& tensor) const;

 private:
  Arena(SharedFd fd, ArenaLayout layout, std::byte* base)
      : fd_(std::move(fd)), layout_(std::move(layout)), base_(base) {}

  SharedFd fd_;
  ArenaLayout layout_;
  std::byte* base_ = nullptr;
};

// A sealed memfd that holds these bytes (an object, a source).
Result<SharedFd> sealed_blob(const std::string& name, std::string_view bytes);

// The bytes of a sealed memfd of at most `limit` bytes.
Result<std::string> read_blob(const UniqueFd& fd, std::int64_t limit);

}  // namespace kvgen
