#include "kvgen/worker/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kvgen {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

Error system_error(std::string_view doing, int number) {
  const bool full = number == ENOMEM || number == ENOSPC || number == EMFILE || number == ENFILE;
  Error error(full ? Code::kFull : Code::kInternal,
              std::string(doing) + ": " + std::strerror(number));
  error.set_retryable(full);
  return error;
}

Result<UniqueFd> sized_memfd(const std::string& name, std::int64_t bytes) {
  UniqueFd fd(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return system_error("cannot create shared memory", errno);
  if (::ftruncate(fd.get(), bytes) != 0) return system_error("cannot size shared memory", errno);
  return fd;
}

Result<std::byte*> map(int fd, std::int64_t bytes, bool writable) {
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void* base = ::mmap(nullptr, static_cast<std::size_t>(bytes), protection, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) return system_error("cannot map shared memory", errno);
  return static_cast<std::byte*>(base);
}

}  // namespace

Result<ArenaLayout> lay_out(const std::vector<TensorSpec>& specs, std::int64_t limit) {
  ArenaLayout layout;
  for (const TensorSpec& spec : specs) {
    ArenaTensor place;
    place.spec = spec;
    place.data_bytes = spec.bytes();
    place.region_offset = layout.bytes;
    const std::int64_t held = round_up(place.data_bytes, kArenaAlignment);
    place.region_bytes = std::max(kArenaPage, round_up(held, kArenaPage));
    place.data_offset = place.region_offset + place.region_bytes - held;
    layout.bytes += place.region_bytes;
    if (layout.bytes > limit) {
      return Error(Code::kFull, "the tensors need more than " + std::to_string(limit >> 20) +
                                    " MB of shared memory");
    }
    layout.tensors.push_back(std::move(place));
  }
  layout.bytes = std::max(layout.bytes, kArenaPage);
  return layout;
}

Json to_json(const ArenaLayout& layout) {
  Json tensors = Json::array();
  for (const ArenaTensor& place : layout.tensors) {
    tensors.push_back({{"spec", to_json(place.spec)},
                       {"region_offset", place.region_offset},
                       {"region_bytes", place.region_bytes},
                       {"data_offset", place.data_offset}});
  }
  return {{"tensors", tensors}, {"bytes", layout.bytes}};
}

Result<ArenaLayout> arena_layout_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  ArenaLayout layout;
  const Json& tensors = fields.array("tensors");
  layout.bytes = fields.get<std::int64_t>("bytes");
  TRY_VOID(fields.finish());
  std::int64_t end = 0;
  for (const Json& item : tensors) {
    Fields entry(item, where + ".tensors");
    ArenaTensor place;
    const Json& spec = entry.object("spec");
    place.region_offset = entry.get<std::int64_t>("region_offset");
    place.region_bytes = entry.get<std::int64_t>("region_bytes");
    place.data_offset = entry.get<std::int64_t>("data_offset");
    TRY_VOID(entry.finish());
    TRY(place.spec, tensor_spec_from(spec, where + ".tensors.spec"));
    place.data_bytes = place.spec.bytes();
    const bool in_order = place.region_offset >= end && place.region_bytes >= 0 &&
                          place.region_bytes <= layout.bytes &&
                          place.region_offset <= layout.bytes - place.region_bytes &&
                          place.region_offset % kArenaPage == 0 &&
                          place.region_bytes % kArenaPage == 0;
    if (!in_order || place.data_offset < place.region_offset ||
        place.data_offset % kArenaAlignment != 0 ||
        place.data_bytes > place.region_offset + place.region_bytes - place.data_offset) {
      return Error(Code::kInvalid, where + ": the regions do not fit the arena");
    }
    end = place.region_offset + place.region_bytes;
    layout.tensors.push_back(std::move(place));
  }
  return layout;
}

Result<Arena> Arena::create(const std::string& name, ArenaLayout layout) {
  TRY(UniqueFd fd, sized_memfd(name, layout.bytes));
  TRY(std::byte* const base, map(fd.get(), layout.bytes, true));
  return Arena(share(std::move(fd)), std::move(layout), base);
}

Result<Arena> Arena::open(SharedFd fd, ArenaLayout layout, bool writable) {
  struct stat info{};
  if (::fstat(fd->get(), &info) != 0) return system_error("cannot inspect an arena", errno);
  const int seals = ::fcntl(fd->get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || info.st_size != layout.bytes) {
    return Error(Code::kInvalid, "an arena is not sealed or has another size than told");
  }
  TRY(std::byte* const base, map(fd->get(), layout.bytes, writable));
  return Arena(std::move(fd), std::move(layout), base);
}

Arena::Arena(Arena&& other) noexcept
    : fd_(std::move(other.fd_)),
      layout_(std::move(other.layout_)),
      base_(std::exchange(other.base_, nullptr)) {}

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(layout_, other.layout_);
  std::swap(base_, other.base_);
  return *this;
}

Arena::~Arena() {
  if (base_ != nullptr) ::munmap(base_, static_cast<std::size_t>(layout_.bytes));
}

Result<void> Arena::seal(bool freeze) {
  int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (freeze) seals |= F_SEAL_FUTURE_WRITE;
  if (::fcntl(fd_->get(), F_ADD_SEALS, seals) != 0) {
    return system_error("cannot seal an arena", errno);
  }
  return ok();
}

std::span<std::byte> Arena::region(const ArenaTensor& tensor) const {
  return {base_ + tensor.region_offset, static_cast<std::size_t>(tensor.region_bytes)};
}

std::span<std::byte> Arena::data(const ArenaTensor& tensor) const {
  return {base_ + tensor.data_offset, static_cast<std::size_t>(tensor.data_bytes)};
}

Result<SharedFd> sealed_blob(const std::string& name, std::string_view bytes) {
  TRY(UniqueFd fd, sized_memfd(name, static_cast<std::int64_t>(bytes.size())));
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n = ::pwrite(fd.get(), bytes.data() + written, bytes.size() - written,
                               static_cast<off_t>(written));
    if (n < 0) return system_error("cannot write shared memory", errno);
    written += static_cast<std::size_t>(n);
  }
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) !=
      0) {
    return system_error("cannot seal shared memory", errno);
  }
  return share(std::move(fd));
}

Result<std::string> read_blob(const UniqueFd& fd, std::int64_t limit) {
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return system_error("cannot inspect a blob", errno);
  if (info.st_size > limit) {
    return Error(Code::kInvalid, "a blob is larger than " + std::to_string(limit) + " bytes");
  }
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n =
        ::pread(fd.get(), bytes.data() + got, bytes.size() - got, static_cast<off_t>(got));
    if (n < 0) return system_error("cannot read a blob", errno);
    if (n == 0) return Error(Code::kInvalid, "a blob ended early");
    got += static_cast<std::size_t>(n);
  }
  return bytes;
}

}  // namespace kvgen
