#include "cpu/runtime/memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace kvgen {
namespace {

Error no_memory(std::string_view doing) {
  Error error(Code::kFull, std::string(doing) + ": " + std::strerror(errno));
  error.set_retryable();
  return error;
}

}  // namespace

Result<Mapping> Mapping::reserve(std::size_t bytes) {
  Mapping mapping;
  void* const base = ::mmap(nullptr, whole_pages(bytes), PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return no_memory("cannot reserve addresses");
  mapping.base_ = static_cast<char*>(base);
  mapping.bytes_ = whole_pages(bytes);
  return mapping;
}

Mapping::~Mapping() {
  if (base_ != nullptr) ::munmap(base_, bytes_);
}

Result<void> Mapping::open(std::size_t offset, std::size_t bytes) {
  return protect(offset, bytes, PROT_READ | PROT_WRITE);
}

Result<void> Mapping::protect(std::size_t offset, std::size_t bytes, int protection) {
  if (::mprotect(base_ + offset, whole_pages(bytes), protection) != 0) {
    return no_memory("cannot get memory");
  }
  return ok();
}

}  // namespace kvgen
